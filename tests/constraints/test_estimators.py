import numpy as np
import pytest

from typeover import theory
from typeover.constraints import ActiveQueries, Biased, DoublyRobust, constraint_of
from typeover.constraints import estimators as e
from typeover.errors import InvalidInputError
from typeover.kernels import corral as c
from typeover.kernels import shared as k
from typeover.theory.empirical import doublings_needed

BAD = [
    (Biased, {"bias_bound": -0.1}, "bias_bound is -0.1"),
    (Biased, {"bias_bound": 0.1, "radius": "papr"}, "did you mean 'paper'"),
    (Biased, {"bias_bound": 0.1, "failure": 0}, "failure is 0"),
    (DoublyRobust, {"control": "anchor"}, "did you mean 'anchored'"),
    (DoublyRobust, {"rate": "falling"}, "rate is 'falling'"),
    (DoublyRobust, {"rate": "printed"}, "the printed rate needs nu"),
    (DoublyRobust, {"control": "counterfactual"}, "the counterfactual control needs nu"),
    (DoublyRobust, {"bias_bound": 2}, "bias_bound is 2"),
    (DoublyRobust, {"cap": 0}, "cap is 0"),
    (ActiveQueries, {"cap": -1}, "cap is -1"),
    (ActiveQueries, {"failure": 1}, "failure is 1"),
]


@pytest.mark.parametrize(("kind", "given", "message"), BAD, ids=[message for _, _, message in BAD])
def test_bad_values_are_refused_by_name(kind, given, message):
    with pytest.raises(InvalidInputError, match=message):
        kind(**given)


def test_what_is_no_constraint_is_refused():
    for given in (None, "biased", {"bias_bound": 0.1}, {"kind": "unbiased"}):
        with pytest.raises(InvalidInputError):
            constraint_of(given)


def test_the_names_stand_in_the_order_of_the_kernel():
    assert [c.NONE, c.BIASED, c.ROBUST, c.ACTIVE] == [0, 1, 2, 3] == [e.KINDS.index(name) for name in e.KINDS]
    assert (e.KINDS[1], e.KINDS[2], e.KINDS[3]) == ("biased", "doubly_robust", "active")
    assert [e.CONTROLS.index(name) for name in ("anchored", "played", "counterfactual")] == [
        c.ANCHORED,
        c.AS_PLAYED,
        c.COUNTERFACTUAL,
    ]
    assert [c.BY_BIAS, c.BY_RATE, c.BY_MOMENTS, c.BY_SQUARES] == [e.BY_BIAS, e.BY_RATE, e.BY_MOMENTS, e.BY_SQUARES]


T, N, DELTA, EPS, t = 10**6, 20, 0.05, 0.02, 400_000
ROUNDS = {"horizon": T, "n_policies": N, "failure": DELTA}


def kept_up_to(constraint, *, moment=0.0, bound=1.0, squares=0.0, looks=0):
    """The largest excess over the least average with which a policy survives a look after t rounds, by bisection."""
    settings = constraint.plain(tolerance=EPS, horizon=T, n_policies=N)
    low, high = 0.0, 3.0
    for _ in range(40):
        middle = (low + high) / 2
        sums, alive, book = np.full((2, 2), squares), np.ones(2, dtype=bool), np.zeros(c.ENTRIES)
        sums[c.SECOND if isinstance(constraint, ActiveQueries) else c.LOSSES] = 0.0, middle * t
        book[[k.ROUND, k.WEIGHT, k.LOOKS, c.MOMENT, c.BOUND]] = t, t, looks, moment, bound
        c.narrow(sums, alive, book, settings)
        low, high = (middle, high) if alive[1] else (low, middle)
    return low


def test_the_radii_are_those_of_the_theory():
    eq7 = theory.biased_radius(number=t, tolerance=EPS, bias_bound=0.1, **ROUNDS)
    assert kept_up_to(Biased(bias_bound=0.1)) == pytest.approx(float(eq7), abs=1e-9)
    eq8 = theory.robust_radius(number=t, tolerance=EPS, bias_bound=0.1, **ROUNDS)
    printed = DoublyRobust(control="counterfactual", rate="printed", bias_bound=0.1)
    assert kept_up_to(printed) == pytest.approx(float(eq8), abs=1e-9)
    eq9 = theory.active_rule(number=t, tolerance=EPS, **ROUNDS)
    assert kept_up_to(ActiveQueries()) == pytest.approx(float(eq9.radius), abs=1e-9)
    w = theory.nested_width(number=t, total_moment=50 * t, bound=140.0, total_bias=0.0, **ROUNDS)
    eq10 = theory.nested_radius(width=w, tolerance=EPS)
    assert kept_up_to(DoublyRobust(), moment=50 * t, bound=140.0) == pytest.approx(float(eq10), abs=1e-9)


@pytest.mark.parametrize(
    ("constraint", "slack"),
    [(Biased(bias_bound=0.1, radius="empirical"), 0.2), (DoublyRobust(radius="empirical"), 0)],
)
def test_the_empirical_radius_is_that_of_the_theory_and_twice_the_bias(constraint, slack):
    w = theory.empirical_width(
        squares=7.0 * t, total=t, bound=30.0, n_policies=N, looks=6, failure=DELTA,
        doublings=doublings_needed(horizon=T, n_policies=N, failure=DELTA),
    )  # fmt: skip
    kept = kept_up_to(constraint, squares=7.0 * t, bound=30.0, looks=5)
    assert kept == pytest.approx(EPS + slack + 2 * float(w), abs=1e-9)


def test_second_moments_are_those_of_the_theory_on_average():
    for control in e.CONTROLS:
        fixed = DoublyRobust(control=control, bias_bound=0.3)
        inverses = 2 * np.arange(1, 10_001) ** (1 / 3)
        mean = np.mean(2 + 2 * 0.09 * inverses) if control == "counterfactual" else np.mean(inverses)
        assert mean <= fixed.second_moment(10_000) <= 1.001 * mean
    printed = DoublyRobust(control="counterfactual", rate="printed", bias_bound=0.3)
    gamma = float(theory.robust_audit_probability(horizon=10_000, bias_bound=0.3))
    v2, _ = theory.robust_moments(bias_bound=0.3, audit_probability=gamma)
    assert printed.second_moment(10_000) == pytest.approx(v2)
    assert DoublyRobust(rate="printed", bias_bound=0.3).second_moment(10_000) == pytest.approx(1 / gamma)
    assert Biased(bias_bound=0.3).second_moment(9) == ActiveQueries().second_moment(9) == 1
