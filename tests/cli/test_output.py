"""One document, one verdict."""

import json

import numpy as np
import pytest

from typeover.cli.output import emit, progress, verdict
from typeover.core.claims import Claim
from typeover.errors import InvalidInputError

HOLDS = Claim("exact", bar=1e-9, figure=2e-16, holds=True)
FAILS = Claim("fast", bar="<= 3x", figure="4.2x", holds=False)


def test_emit_prints_one_document_with_arrays_as_lists_and_nan_as_null(capsys):
    emit({"regret": np.array([0.5, 0.25]), "rounds": np.int64(3), "bound": np.float64("nan"), "claims": [HOLDS]})
    assert json.loads(capsys.readouterr().out) == {
        "regret": [0.5, 0.25],
        "rounds": 3,
        "bound": None,
        "claims": [{"claim": "exact", "bar": 1e-9, "figure": 2e-16, "holds": True}],
    }


def test_emit_refuses_what_has_no_place_in_json(capsys):
    with pytest.raises(NotImplementedError, match="generator"):
        emit({"rows": (i for i in range(3))})
    assert capsys.readouterr().out == ""


def test_progress_goes_to_stderr(capsys):
    progress("half done")
    assert capsys.readouterr() == ("", "half done\n")


@pytest.mark.parametrize(("claims", "code"), [([HOLDS], 0), ([HOLDS, FAILS], 1), ([FAILS], 1)])
def test_the_verdict_is_yes_only_if_every_claim_holds(claims, code):
    assert verdict(claims) == code


def test_a_run_that_measured_nothing_has_no_verdict():
    with pytest.raises(InvalidInputError, match="nothing was measured"):
        verdict([])
