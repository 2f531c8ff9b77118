"""Study active: its worlds have the margins that they are named for, and its claims can fail."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.policies import by_context
from typeover.studies.active import CAPPED, CAPS, FREE, ONE, QUICK_ROUNDS, SEVERAL, STUDY, TOLERANCE, WEAK, WORLDS
from typeover.studies.active.worlds import WANTED, margin_world
from typeover.studies.records import Record

MARGINS = STUDY.axes["margin"]
GOOD = {ONE: (0.05, 0.0), WEAK: (0.5, 0.4), SEVERAL: (0.5, 0.2), CAPPED: (0.021, 0.0)}
"""Shares of queries, in all and in the last tenth."""


def made_up(shares, violation=-0.01):
    """Results with these shares of queries by world, or under the cap."""
    return [
        Record(
            point={"world": world, "margin": 0.55, "cap": cap, "rounds": QUICK_ROUNDS}, seed=seed, seconds=1,
            rows=[
                dict(zip(("audits", "late_audits"), shares[CAPPED if cap == CAPPED else world], strict=True))
                | {"rounds": QUICK_ROUNDS, "late_violation": violation}
            ],
            peak_bytes=None, version="1",
        )
        for world in WORLDS for cap in CAPS for seed in (0, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "violation", "failing"),
    [
        ({}, -0.01, []),
        ({ONE: (0.05, 0.001)}, -0.01, [0]),
        ({WEAK: (0.5, 0.01)}, -0.01, [2]),
        ({SEVERAL: (0.5, 0.0)}, -0.01, [3]),
        ({CAPPED: (0.03, 0.0)}, -0.01, [4]),
        ({}, 0.11, [5]),
    ],
)
def test_the_claims_hold_together_and_each_can_fail_alone(change, violation, failing):
    claims = STUDY.analyse(made_up(GOOD | change, violation)).claims
    assert [i for i, claim in enumerate(claims) if not claim.holds] == failing


def test_more_queries_than_are_provably_enough_fail_their_claim():
    records = made_up(GOOD | {ONE: (0.99, 0.0)})
    for record in records:
        record.point["margin"] = 0.85  # enough are 73,000 of 100,000
    assert [i for i, claim in enumerate(STUDY.analyse(records).claims) if not claim.holds] == [1]


@pytest.mark.parametrize("margin", MARGINS)
def test_each_world_has_the_margin_that_it_is_named_for(margin):
    far = 3 * TOLERANCE + margin
    for name in WORLDS:
        world, policies, eps = margin_world(name, margin=margin, seed=5)
        apart = world.losses[0]
        for a in range(4):  # a metric, which the rule needs
            assert (apart <= apart[:, [a]] + apart[[a], :] + 1e-12).all()
        rewards, losses = world.values(policies)
        best, regret = int(losses.argmin()), losses - losses.min()
        votes = by_context(policies, world.tables.contexts, world.tables.actions)
        largest = apart[votes, votes[:, [best]]].max(axis=0)  # of each policy to the best one, over all contexts
        assert (votes[:, best] == WANTED).all()
        assert (regret <= eps).sum() == (1 if name == ONE else 5)
        if name == WEAK:  # either far in the mean or near everywhere, and two that are near may be eps apart
            assert ((regret >= far - 1e-12) | (largest <= (2 * eps + margin) / 4 + 1e-12)).all()
            near = votes[:, regret <= eps]
            assert apart[near[:, :, None], near[:, None, :]].max() == pytest.approx(eps + margin / 2)
        else:  # pointwise: every other candidate that is ever played is far
            assert set(np.unique(apart[votes, WANTED])) == {0.0, far}
        assert rewards.argmax() != best  # the constraint costs reward


def test_queries_wait_for_the_threshold_and_the_cap_ends_them():
    point = {"world": ONE, "margin": 0.85, "rounds": 3_000}
    free, capped = (STUDY.run({**point, "cap": cap}, 0, None)[-1] for cap in (FREE, CAPPED))
    assert 0.9 < free["audits"] < 1
    assert round(capped["audits"] * 3_000) == 209  # the first whole number from T^(2/3) on


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "active", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 6)
