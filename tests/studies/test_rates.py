"""Study rates: fair to every learner, and its claims can fail."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from typeover.cli import main
from typeover.studies.rates import CORRAL, EFBO, HONEST, LEARNERS, STUDY, WORLDS, horizons, setting_of
from typeover.studies.rates.analysis import ONE_RUN
from typeover.studies.records import Record

AT = horizons(10_000)


def rows_of(learner, power):
    told = {EFBO: AT, CORRAL: AT}.get(learner, [0] * len(AT))
    rows = [(at, by, at**power) for at, by in zip(AT, told, strict=True)]
    if learner == CORRAL:
        rows[-1:] = [(at, AT[-1], at**0.3) for at in AT[:-1]] + rows[-1:]  # the way there of the last
    return [
        {"told": by, "rounds": at, "regret": total, "mixture": total, "excess": -1.0, "audits": 0.0}
        | ({"exploring": total, "committed": 0.0} if learner == EFBO else {})
        for at, by, total in rows
    ]


def made_up(powers):
    """Results whose regret is T to the power named for (world, learner), the square root if none is."""
    return [
        Record(
            point={"world": world, "learner": name, "rounds": AT[-1]}, seed=seed, seconds=1, peak_bytes=None,
            rows=rows_of(name, powers.get((world, name), 2 / 3 if name == EFBO else 0.5)), version="1",
        )
        for world in WORLDS for name in LEARNERS for seed in (0, 1)
    ]  # fmt: skip


def test_the_claims_hold_at_the_promised_rates_and_each_can_fail_alone():
    assert all(claim.holds for claim in STUDY.analyse(made_up({})).claims)
    failing = [((world, EFBO), power) for world in WORLDS for power in (0.59, 0.75)]
    failing += [((world, CORRAL), 0.68) for world in HONEST]
    for (world, name), power in failing:
        claims = STUDY.analyse(made_up({(world, name): power})).claims
        assert [claim.claim.split(": ")[0] for claim in claims if not claim.holds] == [f"{name}, {world}"]


def test_where_users_check_nothing_no_rate_is_claimed_for_the_estimate_that_trusts_them():
    assert STUDY.analyse(made_up({(WORLDS[-1], CORRAL): 1.0})).claims == STUDY.analyse(made_up({})).claims


def test_a_run_of_its_own_for_each_horizon_is_told_from_the_way_there_of_the_last():
    exponents = STUDY.analyse(made_up({})).tables[0]
    cells = {row[0]: row[1] for row in exponents.rows}
    assert cells[CORRAL].startswith("0.50")
    assert not cells[ONE_RUN].startswith("0.50")


def test_horizons_are_log_spaced_and_end_with_the_rounds():
    assert np.diff(np.log10(horizons(1_000_000))) == pytest.approx(0.25, abs=1e-3)
    assert (horizons(1_000_000)[0], horizons(1_000_000)[-1]) == (1_000, 1_000_000)


def test_users_who_check_accept_nothing_that_is_further_than_the_bias_bound_and_others_accept_all():
    for name in WORLDS:
        tables, losses = (world := setting_of(name, 3).world).tables, world.losses
        is_far = losses > 0.001
        assert (tables.acceptance[is_far] == (name not in HONEST)).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_has_one_row_for_each_horizon_and_learner_told_of_it(learner):
    rows = STUDY.run({"world": WORLDS[-1], "learner": learner, "rounds": 10_000}, 2, None)
    alone = [row for row in rows if row["told"] in (0, row["rounds"])]
    assert [row["rounds"] for row in alone] == AT
    assert len(rows) == (2 * len(AT) - 1 if learner == CORRAL else len(AT))


def test_every_learner_meets_the_same_world_and_users(monkeypatch):
    met = []
    monkeypatch.setattr("typeover.studies.rates._explored_first", lambda *them: met.append(them[2]) or {})
    monkeypatch.setattr("typeover.studies.rates._played", lambda *them, **_: met.append(them[3]) or [])
    seeds = []
    monkeypatch.setattr("typeover.studies.rates.setting_of", lambda _, seed: seeds.append(seed))
    for name in LEARNERS:
        STUDY.run({"world": WORLDS[0], "learner": name, "rounds": 1_000}, 4, None)
    assert len(set(met)) == len(set(seeds)) == 1


def test_the_phases_of_efbo_add_up_to_its_regret():
    rows = STUDY.run({"world": WORLDS[-1], "learner": EFBO, "rounds": 10_000}, 0, None)
    for row in rows:
        assert row["exploring"] + row["committed"] == pytest.approx(row["mixture"])


@pytest.mark.thorough
def test_the_quick_run_finds_what_the_study_claims(tmp_path):
    result = CliRunner().invoke(main, ["study", "run", "rates", "--quick", "--json", "--out", str(tmp_path)])
    claims = json.loads(result.stdout)["claims"]
    assert all(claim["holds"] for claim in claims), claims
    assert (result.exit_code, len(claims)) == (0, 9)
