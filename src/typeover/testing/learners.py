"""What every learner promises: the same by the same seed, saved and restored, answered late, in any order or twice.

A correction after an accept is an amendment. A learner whose `figures()` count them as `amended` takes back what the
accept had taught: it ends as if the correction had come instead. One without that figure leaves them out, as any second
answer.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from typeover.core.decision import Decision, Round
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import CompiledLearner, Environment, Learner, Policies
from typeover.core.state import State
from typeover.testing.checks import assert_close_state, assert_same_state, refused

Make = Callable[[int], Learner]
Restore = Callable[[State], Learner]
CHANCE = 1e-6
"""How often the one statistical test may fail for a sound learner; its seed is fixed, so it fails always or never."""


class LearnerContract:
    """Fixtures: `make` (seed -> learner), `restore` (State -> learner), `world` (an environment), `policies`.

    `rounds` is how many are played: enough for every stage of the learner, and for users to accept something.
    `policies` are what `world` compares with. `apart` are entries of saved arrays that no amendment changes, for they
    say what users did at the time.
    """

    rounds: ClassVar[int] = 60
    apart: ClassVar[Mapping[str, slice]] = {}

    def test_the_same_seed_gives_the_same_decisions(self, make: Make, world: Environment, policies: Policies) -> None:
        one, other = make(3), make(3)
        for first, second in zip(self._play(one, world, policies), self._play(other, world, policies), strict=True):
            assert_same_decision(first[0], second[0])
        assert_same_state(one.state(), other.state())

    def test_saved_to_a_file_and_restored_it_ends_the_same(
        self, make: Make, restore: Restore, world: Environment, policies: Policies, tmp_path: Path
    ) -> None:
        for stop in sorted({1, self.rounds // 4, self.rounds // 2, self.rounds - 1}):
            session = world.session(seed=5, policies=policies, tolerance=0.1)
            one, late = make(3), []
            other = one
            for number in range(1, self.rounds + 1):
                context, actions = session.ask()
                decision, twin = one.decide(context, actions), None
                if other is not one:
                    twin = other.decide(context, actions)
                    assert_same_decision(decision, twin)
                feedback = session.answer(decision)
                if number % 5 == 0:
                    late.append((decision, feedback))
                else:
                    one.learn(decision, feedback)
                    if twin is not None:
                        other.learn(twin, feedback)
                if number == stop:
                    other = restore(State.load(one.state().save(tmp_path / f"{stop}.npz")))
                    assert_same_state(one.state(), other.state())
                    assert one.figures() == other.figures()
            for learner in (one, other):
                for decision, feedback in late:
                    learner.learn(decision, feedback)
            assert_same_state(one.state(), other.state())
            assert one.figures() == other.figures()
            again = restore(State.load(one.state().save(tmp_path / "late.npz")))  # with news not acted on yet
            for _ in range(3):
                context, actions = session.ask()
                assert_same_decision(one.decide(context, actions), again.decide(context, actions))
            assert_same_state(one.state(), again.state())

    def test_answers_teach_the_same_in_every_order(self, make: Make, world: Environment, policies: Policies) -> None:
        ends = []
        for order in (None, -1, 11):
            learner = make(3)
            open_rounds = list(self._play(learner, world, policies, learns=False))
            if order == -1:
                open_rounds.reverse()
            elif order is not None:
                np.random.default_rng(order).shuffle(open_rounds)
            for decision, feedback in open_rounds:
                learner.learn(decision, feedback)
            ends.append(learner.state())
        assert_close_state(ends[0], ends[1])
        assert_close_state(ends[0], ends[2])

    def test_a_second_answer_changes_nothing(self, make: Make, world: Environment, policies: Policies) -> None:
        once, twice = make(3), make(3)
        session = world.session(seed=5, policies=policies, tolerance=0.1)
        for _ in range(self.rounds):
            context, actions = session.ask()
            decision, twin = once.decide(context, actions), twice.decide(context, actions)
            assert_same_decision(decision, twin)
            feedback = session.answer(decision)
            once.learn(decision, feedback)
            twice.learn(twin, feedback)
            twice.learn(twin, feedback)
            twice.learn(twin, Feedback(reward=1.0))
        one, other = once.state().arrays, twice.state().arrays
        assert one.keys() == other.keys()
        assert all(np.array_equal(values, other[name]) for name, values in one.items())

    def test_an_amendment_teaches_what_the_correction_alone_would_have(
        self, make: Make, world: Environment, policies: Policies
    ) -> None:
        amended, in_turn, alone = make(3), make(3), make(3)
        later = self._accepted(amended, world, policies)
        for decision, accept, _ in later:
            amended.learn(decision, accept)
        for decision, _, entered in reversed(later):
            amended.learn(decision, entered)
        for decision, accept, entered in self._accepted(in_turn, world, policies):
            in_turn.learn(decision, accept)
            in_turn.learn(decision, entered)
        counted = amended.figures().get("amended")
        assert counted in {None, len(later)}
        for decision, accept, entered in self._accepted(alone, world, policies):
            alone.learn(decision, accept if counted is None else entered)
        assert_close_state(self._taught(alone), self._taught(amended))
        assert_close_state(self._taught(alone), self._taught(in_turn))

    def test_an_accept_is_amended_once_even_after_a_restart(
        self, make: Make, restore: Restore, world: Environment, policies: Policies, tmp_path: Path
    ) -> None:
        learner = make(3)
        later = self._accepted(learner, world, policies)
        for decision, accept, _ in later:
            learner.learn(decision, accept)
        for decision, _, entered in later[::2]:
            learner.learn(decision, entered)
        restored = restore(State.load(learner.state().save(tmp_path / "amended.npz")))
        for one in (learner, restored):
            for decision, _, entered in later:  # every other of them a second time
                one.learn(decision, entered)
        assert_same_state(learner.state(), restored.state())
        assert learner.figures() == restored.figures()
        before = learner.state()
        for decision, accept, entered in later:
            learner.learn(decision, entered)
            learner.learn(decision, accept)
        after = learner.state()
        assert all(np.array_equal(values, after.arrays[name]) for name, values in before.arrays.items())
        assert learner.figures().get("amended") in {None, len(later)}

    def test_unanswered_rounds_do_not_stop_it(self, make: Make, world: Environment, policies: Policies) -> None:
        learner = make(3)
        assert len(list(self._play(learner, world, policies, learns=False))) == self.rounds
        json.dumps(learner.figures(), allow_nan=False)

    def test_the_input_is_left_alone(self, make: Make, world: Environment, policies: Policies) -> None:
        learner = make(3)
        session = world.session(seed=5, policies=policies, tolerance=0.1)
        for _ in range(self.rounds):
            context, actions = session.ask()
            before = repr(copy.deepcopy((context, actions)))
            decision = learner.decide(context, actions)
            feedback = session.answer(decision)
            then = repr((msgspec.structs.asdict(decision), feedback))
            learner.learn(decision, feedback)
            assert repr((context, actions)) == before
            assert repr((msgspec.structs.asdict(decision), feedback)) == then

    def test_a_state_is_not_moved_by_what_comes_after(self, make: Make, world: Environment, policies: Policies) -> None:
        learner, kept = make(3), []
        for number, _ in enumerate(self._play(learner, world, policies)):
            if number == self.rounds // 2:
                kept = [learner.state(), copy.deepcopy(learner.state())]
        assert_same_state(kept[0], kept[1])

    def test_suggestions_are_drawn_from_propensities_that_are_distributions(
        self, make: Make, world: Environment, policies: Policies
    ) -> None:
        learner, drawn, expected, rounds = make(3), 0.0, 0.0, 0
        for decision, _ in self._play(learner, world, policies):
            p = decision.propensities
            assert p.shape == (len(decision.round.actions),)
            assert (p >= 0).all()
            assert abs(p.sum() - 1) < 1e-9
            assert p[decision.suggestion] > 0, "a candidate of probability 0 was suggested"
            assert 0 <= decision.audit_probability <= 1
            assert decision.revealing or decision.index == decision.suggestion
            shown = None if decision.index < 0 else decision.round.actions[decision.index]
            assert decision.action == shown
            scores = np.arange(len(p)) / max(1, len(p) - 1)
            drawn, expected, rounds = drawn + scores[decision.suggestion], expected + float(scores @ p), rounds + 1
        # a martingale with steps in an interval of length 1 (Azuma)
        assert abs(drawn - expected) <= math.sqrt(rounds / 2 * math.log(2 / CHANCE))

    def test_bad_input_is_refused_by_name_and_changes_nothing(
        self, make: Make, world: Environment, policies: Policies
    ) -> None:
        learner = make(3)
        context, actions = world.session(seed=5, policies=policies, tolerance=0.1).ask()
        decision = learner.decide(context, actions)
        before = learner.state()
        with refused("actions", "empty"):
            learner.decide(context, [])
        with refused(repr(actions[0]), "twice"):
            learner.decide(context, [actions[0], *actions])
        with refused("actions"):
            learner.decide(context, "abc")
        for number in (10**6, 0):
            foreign = msgspec.structs.replace(decision, round=Round(number, context, actions))
            with refused("round", str(number)):
                learner.learn(foreign, Feedback())
        assert_same_state(learner.state(), before)

    def test_a_state_of_something_else_is_refused(self, make: Make, restore: Restore) -> None:
        state = make(3).state()
        with refused("format"):
            restore(State(json=state.json | {"format": "typeover.something-else"}, arrays=state.arrays))
        with refused("version", "newer"):
            restore(State(json=state.json | {"version": state.json["version"] + 1}, arrays=state.arrays))

    def test_figures_are_plain_values_at_every_stage(self, make: Make, world: Environment, policies: Policies) -> None:
        learner = make(3)
        for _ in self._play(learner, world, policies):
            json.dumps(learner.figures(), allow_nan=False)
        assert learner.figures()["rounds"] == self.rounds

    def test_a_compiled_path_decides_and_learns_as_the_step_path_does(
        self, make: Make, world: Environment, policies: Policies
    ) -> None:
        stepped, played = make(3), make(3)
        session = world.session(seed=5, policies=policies, tolerance=0.1)
        if not (isinstance(played, CompiledLearner) and hasattr(session, "tape")):
            import pytest

            pytest.skip("no compiled path")
        rounds = list(self._play(stepped, world, policies))
        done, plays = 0, []
        for stop in (1, 1 + self.rounds // 3, self.rounds):  # any cut gives the same
            while done < stop:
                tape = session.tape(stop - done)
                plays.append(played.play(tape))
                done += len(tape.contexts)
        assert done == self.rounds
        for name, value in (("suggestions", "suggestion"), ("shown", "index"), ("revealing", "revealing")):
            at_once = np.concatenate([getattr(play, name) for play in plays]).tolist()
            assert at_once == [getattr(decision, value) for decision, _ in rounds], name
        rewards = np.concatenate([play.responses.rewards for play in plays]).tolist()
        assert rewards == [feedback.reward for _, feedback in rounds]
        assert_same_state(stepped.state(), played.state())
        assert stepped.figures() == played.figures()

    def _play(
        self, learner: Learner, world: Environment, policies: Policies, *, learns: bool = True
    ) -> Iterator[tuple[Decision, Feedback]]:
        """Rounds with the same users each time; if it does not learn from them, the answers stay out."""
        session = world.session(seed=5, policies=policies, tolerance=0.1)
        for _ in range(self.rounds):
            context, actions = session.ask()
            decision = learner.decide(context, actions)
            feedback = session.answer(decision)
            if learns:
                learner.learn(decision, feedback)
            yield decision, feedback

    def _accepted(
        self, learner: Learner, world: Environment, policies: Policies
    ) -> list[tuple[Decision, Feedback, Feedback]]:
        """Rounds that were accepted, not answered yet: the accept, and what might be entered; all others answered."""
        accepted = []
        for decision, feedback in list(self._play(learner, world, policies, learns=False)):
            if feedback.outcome is Outcome.ACCEPTED and not decision.revealing:
                accept = Feedback(reward=feedback.reward, accepted=True)
                accepted.append((decision, accept, Feedback(correction=decision.round.actions[decision.index - 1])))
            else:
                learner.learn(decision, feedback)
        assert accepted, f"no suggestion was accepted in {self.rounds} rounds; play more of them"
        return accepted

    def _taught(self, learner: Learner) -> State:
        arrays: dict[str, NDArray[Any]] = {name: values.copy() for name, values in learner.state().arrays.items()}
        for name, entries in self.apart.items():
            if name in arrays:
                arrays[name][entries] = 0
        return State(json={}, arrays=arrays)


def assert_same_decision(one: Decision, other: Decision) -> None:
    """The same in every field, bit for bit."""
    assert one.propensities.tolist() == other.propensities.tolist()
    for name in ("action", "index", "suggestion", "revealing", "audit_probability", "version"):
        assert getattr(one, name) == getattr(other, name), f"{name} differs in round {one.round.number}"
    assert one.round.number == other.round.number
