"""Study bounds: each theorem where its assumptions hold, and claims that can fail."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.studies.bounds import ALIGNMENTS, BLENDS, EXPLORED, LOW_NOISE, STUDY, THEOREMS, UNCHECKED, horizons
from typeover.studies.bounds.promises import LARGE, MARGIN, SMALL, Case, bounds_of, learner_of, setting_of
from typeover.studies.records import Record
from typeover.theory import biased_reward_regret, blend_grid, similarity_curve

POINTS = STUDY.points(quick=False)


def made_up(grows=None):
    """Results whose ratios fall by a tenth with each horizon; that of the (theorem, world, kind) named grows."""
    records = []
    for point in POINTS:
        theorem, world = point["theorem"], point["world"]
        at = horizons(theorem, 1_000_000)
        for seed in (0, 1):
            rows = [
                {"horizon": horizon, "uniform": 1.0, "reward_bound": 2.0, "constraint_bound": 2.0}
                | {kind: (1.1 if (theorem, world, kind) == grows else 0.9) ** i for kind in ("reward", "constraint")}
                for i, horizon in enumerate(at)
            ]
            records.append(Record(point=point, seed=seed, rows=rows, seconds=1, peak_bytes=None, version="1"))
    return records


def test_the_claims_hold_if_every_ratio_falls_and_each_fails_if_one_world_has_it_grow():
    assert all(claim.holds for claim in STUDY.analyse(made_up()).claims)
    for point in POINTS:
        for kind in ("reward", "constraint"):
            claims = STUDY.analyse(made_up((point["theorem"], point["world"], kind))).claims
            failed = [claim.claim.split(" regret")[0] for claim in claims if not claim.holds]
            assert failed == [f"{point['theorem'].split(',')[0]}, {kind}"]


def test_only_theorem_2_is_asked_where_users_check_nothing():
    assert [point["theorem"] for point in POINTS if point["world"] == UNCHECKED] == [EXPLORED]


def test_a_decade_has_two_horizons_and_efbo_goes_a_hundred_times_further():
    assert (horizons("Theorem 3", 10**6)[0], horizons("Theorem 3", 10**6)[-1]) == (10**4, 10**6)
    assert (horizons(EXPLORED, 10**6)[0], horizons(EXPLORED, 10**6)[-1]) == (10**4, 10**8)
    assert np.diff(np.log10(horizons(EXPLORED, 10**6))) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("world", ALIGNMENTS)
@pytest.mark.parametrize("theorem", ["Theorem 3", "Theorem 4", *BLENDS])
def test_users_correct_whatever_is_further_than_the_nu_that_the_learner_knows(theorem, world):
    tables, losses = (found := setting_of(theorem, world, 4).world).tables, found.losses
    nu = learner_of(theorem, setting_of(theorem, world, 4), 1_000, 0).constraint.bias_bound
    assert nu == (LARGE if theorem == "Theorem 4" else SMALL)
    assert ((tables.acceptance > 0) == (losses <= nu)).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("world", ALIGNMENTS)
def test_where_noise_is_low_the_margin_holds_in_every_context_and_one_policy_is_alone(world, seed):
    """Both conditions on which queries stop; not all worlds that can be drawn have them, these do."""
    setting = setting_of(LOW_NOISE, world, seed)
    losses, wanted = setting.world.losses[0], setting.world.answer_probabilities
    assert np.unique(losses).tolist() == [0.0, 1.0]  # so that any other candidate is 1 > epsilon + tau away
    assert setting.tolerance + MARGIN < 1
    means = np.sort(setting.world.values(setting.policies)[1])
    assert means[0] == 0
    assert means[1] > 3 * setting.tolerance + MARGIN
    assert (wanted.max(axis=1) == 1).all()


def test_a_cumulative_bound_is_divided_by_the_rounds_and_taken_at_the_least_alpha():
    setting, T = setting_of("Theorem 3", "alignment 0.5", 2), 50_000
    curve = similarity_curve(*setting.world.values(setting.policies), setting.tolerance)
    reward, _ = bounds_of("Theorem 3", Case(setting, curve, T))
    tried = [
        biased_reward_regret(
            horizon=T, blends=blend_grid(6, T), n_actions=6, n_policies=200, alignment=alpha, slack=curve(alpha),
            bias_bound=SMALL,
        ) / T
        for alpha in np.linspace(0, 4, 41).tolist()
    ]  # fmt: skip
    assert 0 < reward <= min(tried)
    assert reward > 0.5 * min(tried)


@pytest.mark.parametrize("theorem", THEOREMS[1:])
def test_a_bound_falls_with_the_horizon(theorem):
    setting = setting_of(theorem, "alignment 0.5", 1)
    curve = similarity_curve(*setting.world.values(setting.policies), setting.tolerance)
    early, late = (bounds_of(theorem, Case(setting, curve, T)) for T in (10**4, 10**6))
    assert late[0] < early[0]
    assert late[1] < early[1]


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_run_has_a_row_per_horizon_with_both_sides(theorem):
    rows = STUDY.run({"world": "alignment 1", "theorem": theorem, "rounds": 10_000}, 3, None)
    assert [row["horizon"] for row in rows] == horizons(theorem, 10_000)
    for row in rows:
        assert np.isfinite(list(row.values())).all()
        assert min(row["reward_bound"], row["constraint_bound"]) > 0


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "bounds", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 10)
