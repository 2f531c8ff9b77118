import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from typeover.kernels import envelope

GRID = st.integers(0, 6)
FINITE = st.floats(-10, 10, allow_subnormal=True)


def fast(d, r):
    d, r = np.array(d, dtype=float), np.array(r, dtype=float)
    return envelope.vertices(d, r, envelope.ends(d, r)).tolist()


def assert_an_envelope(d, r, found, rounding=1e-12):
    """Rising, and no point above it by more than rounding leaves of the rise."""
    assert all(d[a] < d[b] and r[a] < r[b] for a, b in itertools.pairwise(found))
    true = naive.vertices(d, r)
    assert (d[found[0]], r[found[0]]) == (d[true[0]], r[true[0]])
    assert (d[found[-1]], r[found[-1]]) == (d[true[-1]], r[true[-1]])
    allowed = Fraction(rounding) * (Fraction(float(r[true[-1]])) - Fraction(float(r[true[0]])))
    assert all(naive.envelope_at(d, r, found, d[i]) >= Fraction(float(r[i])) - allowed for i in true)


def far(near, place, value):
    """The same numbers, one of them far away."""
    near[place] = value
    return near


def bent_at_the_start(d, r):
    """Two vertices before the first bucket ends."""
    d[:2], r[:2] = (10**6, 5 * 10**5), (200, 120)
    return d, r


WHOLE = {  # whole numbers, many of them, in shapes that are hard to thin out
    "random": lambda d, r, rng: (d, r),
    "collinear": lambda d, r, rng: (d, 2 * d + 7),
    "concave": lambda d, r, rng: (d, d * (1001 - d)),  # every distinct point is a vertex
    "one bucket": lambda d, r, rng: (far(d % 5, rng.integers(d.size), 10**6), far(r, rng.integers(d.size), 501)),
    "last bucket": lambda d, r, rng: (far(10**6 - d % 5, rng.integers(d.size), 0), r),
    "first bucket bends": lambda d, r, rng: bent_at_the_start(d % 4, r % 50) if d.size > 1 else (d, r),
    "same d": lambda d, r, rng: (np.full(d.size, 3), r),
    "same r": lambda d, r, rng: (d, np.full(d.size, 3)),
    "falling": lambda d, r, rng: (d, 500 - d),
    "same point": lambda d, r, rng: (np.full(d.size, 3), np.full(d.size, 4)),
}


def shaped(kind, n, rng):
    return WHOLE[kind](rng.integers(0, 500, n), rng.integers(0, 500, n), rng)


MANY = st.integers(envelope._FEW + 1, 260)


@given(st.lists(st.tuples(GRID, GRID), min_size=1, max_size=30))
def test_few_points_with_ties_and_duplicates_give_the_very_same_vertices(points):
    d, r = zip(*points, strict=True)
    assert fast(d, r) == naive.vertices(d, r)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=30))
def test_the_ends_are_the_first_and_the_last_vertex(points):
    d, r = (np.array(column) for column in zip(*points, strict=True))
    assert envelope.ends(d, r) == naive.ends(d, r)
    found = fast(d, r)
    assert (found[0], found[-1]) == naive.ends(d, r)[:2]
    assert_an_envelope(d, r, found)


@pytest.mark.parametrize("stray", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_number_that_is_not_finite_is_noticed_wherever_it_stands(stray, column, place):
    columns = np.array([[0.0, 0.5, 1.0], [0.1, 0.2, 0.3]])
    assert envelope.ends(*columns).is_finite
    columns[column, place] = stray
    assert not envelope.ends(*columns).is_finite
    assert not naive.ends(*columns)[2]


def test_one_point_is_its_own_envelope():
    assert fast([0.3], [0.7]) == [0]


@pytest.mark.parametrize("kind", WHOLE)
@settings(max_examples=12)
@given(n=MANY, seed=st.integers(0, 2**32))
def test_many_whole_points_give_the_very_same_vertices(kind, n, seed):
    d, r = shaped(kind, n, np.random.default_rng(seed))
    assert fast(d, r) == naive.vertices(d, r)


@pytest.mark.parametrize("shape", [np.sqrt, np.log1p, np.tanh, lambda d: 1 - (1 - d) ** 2, lambda d: d])
@settings(max_examples=8)
@given(n=MANY, seed=st.integers(0, 2**32), power=st.sampled_from([1, 4, 20]))
def test_no_point_of_a_smooth_curve_is_lost_by_more_than_rounding(shape, n, seed, power):
    d = np.random.default_rng(seed).random(n) ** power
    assert_an_envelope(d, shape(d), fast(d, shape(d)))


@settings(max_examples=40)
@given(
    n=st.integers(1, 140),
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(list(WHOLE)),
    powers=st.tuples(st.integers(-1074, 990), st.integers(-1074, 990)),
)
def test_units_do_not_matter_however_large_or_small(n, seed, kind, powers):
    d, r = shaped(kind, n, np.random.default_rng(seed))
    scaled = [np.ldexp(column.astype(float), power) for column, power in zip((d, r), powers, strict=True)]
    assert fast(*scaled) == naive.vertices(d, r)


@settings(max_examples=30)
@given(n=st.sampled_from([3, 20, 65, 150]), seed=st.integers(0, 2**32))
def test_a_span_beyond_the_largest_number_is_no_obstacle(n, seed):
    rng = np.random.default_rng(seed)
    d, r = rng.uniform(-1, 1, n) * 1.7e308, rng.uniform(-1, 1, n) * 1.7e308
    assert_an_envelope(d, r, fast(d, r))


@settings(max_examples=30)
@given(n=st.sampled_from([4, 65, 150]), seed=st.integers(0, 2**32), power=st.integers(-1074, -900))
def test_a_narrow_envelope_among_far_points_is_found(n, seed, power):
    rng = np.random.default_rng(seed)
    d, r = (np.ldexp(rng.integers(0, 100, n).astype(float), power) for _ in range(2))
    best = int(np.argmax(r))
    d[(best + 1) % n], r[(best + 1) % n] = 1e300, r[best]  # too far to the right to help
    d[(best + 2) % n], r[(best + 2) % n] = np.median(d[:3]), -1e300  # far too low
    assert_an_envelope(d, r, fast(d, r))
