import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from typeover.errors import InvalidInputError, StateError
from typeover.rng import freeze, generator, stream, thaw

KINDS = ["PCG64", "PCG64DXSM", "Philox", "MT19937", "SFC64"]


def used(kind, n_before):
    """A generator of this kind in the middle of its work, with half a 64-bit word kept back."""
    rng = np.random.Generator(getattr(np.random, kind)(5))
    rng.random(n_before)
    rng.integers(100, size=2 * n_before + 1, dtype=np.int32)
    return rng


def outputs(rng):
    return [
        rng.integers(2**31, size=9, dtype=np.int32).tolist(),
        rng.random(700).tolist(),
        rng.standard_normal(9).tolist(),
    ]


@given(st.integers(0, 2**70), st.lists(st.text(max_size=5), max_size=3))
def test_the_same_seed_and_names_give_the_same_stream(seed, names):
    assert stream(seed, *names).random(3).tolist() == stream(seed, *names).random(3).tolist()


@given(
    st.lists(
        st.tuples(st.integers(0, 2**40), st.lists(st.sampled_from(["user", "rep-1", "rep-2", "a", ""]), min_size=1)),
        min_size=2, max_size=8, unique_by=lambda key: (key[0], tuple(key[1])),
    )
)  # fmt: skip
def test_another_seed_name_or_order_of_names_is_another_stream(keys):
    assert len({stream(seed, *names).random() for seed, names in keys}) == len(keys)


def test_streams_that_differ_in_one_letter_are_uncorrelated():
    # 200 streams of 500 normals: the largest of 19,900 correlations exceeds 0.29 with probability below 1e-5.
    rows = np.stack([stream(3, "user", f"rep-{i}").standard_normal(500) for i in range(200)])
    correlations = np.corrcoef(rows) - np.eye(200)
    assert np.abs(correlations).max() < 0.29


def test_who_else_draws_shifts_nobody():
    alone = stream(7, "user").random(5).tolist()
    stream(7, "learner").random(1000)
    assert stream(7, "user").random(5).tolist() == alone


def test_a_stream_is_the_same_on_every_machine():
    # SHA-256 and SeedSequence are fixed by their authors; a stored study names its streams and expects these numbers.
    assert stream(7, "user", "rep-3").integers(10**6, size=3).tolist() == [323530, 62207, 983748]


def test_a_seed_makes_the_named_stream_and_a_generator_is_used_as_it_is():
    assert generator(7, None, "efbo").random() == stream(7, "efbo").random()
    rng = np.random.default_rng(0)
    assert generator(None, rng, "efbo") is rng


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_before", [0, 1, 623, 700])
def test_a_thawed_generator_goes_on_exactly_there(kind, n_before):
    rng = used(kind, n_before)
    frozen = json.loads(json.dumps(freeze(rng)))
    assert outputs(thaw(frozen)) == outputs(rng)


@pytest.mark.parametrize("kind", KINDS)
def test_freezing_leaves_the_generator_alone_and_can_be_repeated(kind):
    rng, untouched = used(kind, 4), used(kind, 4)
    frozen = freeze(rng)
    assert freeze(thaw(frozen)) == frozen
    assert outputs(rng) == outputs(untouched)


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_128_bits_survive_readers_that_know_only_floats(kind):
    def numbers(value):
        if isinstance(value, dict):
            return [n for inner in value.values() for n in numbers(inner)]
        if isinstance(value, list):
            return [n for inner in value for n in numbers(inner)]
        return [] if isinstance(value, str) else [value]

    assert numbers(freeze(used(kind, 4))) == []


@pytest.mark.parametrize(
    "frozen",
    [
        {},
        {"bit_generator": "Generator"},
        {"bit_generator": "BitGenerator"},
        {"bit_generator": "PCG65"},
        {"bit_generator": None},
        {"bit_generator": "PCG64"},
        {"bit_generator": "PCG64", "state": "12"},
        {"bit_generator": "PCG64", "state": {"state": "one", "inc": "3"}, "has_uint32": "0", "uinteger": "0"},
        {"bit_generator": "MT19937", "state": {"key": ["1", "2"], "pos": "0"}},
        {"bit_generator": "Philox", "state": {"counter": ["1"]}},
    ],
)
def test_a_damaged_generator_state_is_refused(frozen):
    with pytest.raises(StateError, match="generator state"):
        thaw(frozen)


@pytest.mark.parametrize(
    ("seed", "rng", "message"),
    [
        (None, None, "seed and rng are both missing; pass seed=7"),
        (1, np.random.default_rng(0), "seed=1 and rng were both given"),
        (None, np.random.RandomState(0), "rng is RandomState; it must be a numpy.random.Generator"),
        (None, 3, "rng is int"),
        (-1, None, "seed is -1; it must be a whole number from 0"),
        (1.0, None, "seed is 1.0"),
        (True, None, "seed is True"),
        ("7", None, "seed is '7'"),
    ],
)
def test_a_bad_seed_is_refused_by_name(seed, rng, message):
    with pytest.raises(InvalidInputError, match=message):
        generator(seed, rng, "anything")
