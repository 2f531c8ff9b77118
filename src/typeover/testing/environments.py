"""What every environment promises: the same users for everybody, regret counted right, the truth kept inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from typeover.core.arrays import Actions
from typeover.core.decision import NOTHING, Decision, Round
from typeover.core.feedback import Feedback
from typeover.core.protocols import Environment, Policies, Session
from typeover.core.tape import Plays

Choose = Callable[[int, Any, Actions], int]
"""Which index to show in this round; -1 asks the user instead (an audit)."""


class EnvironmentContract:
    """Fixtures: `environment`, and `policies` that choose one candidate each (no probabilities) in it."""

    rounds: ClassVar[int] = 1500

    def test_the_same_seed_gives_the_same_users_to_every_learner(
        self, environment: Environment, policies: Policies
    ) -> None:
        asked = self._rounds(environment, policies, ask_the_user)
        for choose in (show_first, show_last, show_some):
            for (question, _, unaided), (other, shown, feedback) in zip(
                asked, self._rounds(environment, policies, choose), strict=True
            ):
                assert repr(question) == repr(other)
                if shown == NOTHING or feedback.revealed:
                    assert feedback.answer == unaided.correction

    def test_another_seed_gives_other_users(self, environment: Environment, policies: Policies) -> None:
        one = self._rounds(environment, policies, ask_the_user, seed=1)
        other = self._rounds(environment, policies, ask_the_user, seed=2)
        assert repr([question for question, _, _ in one]) != repr([question for question, _, _ in other])

    def test_what_a_learner_hears_depends_on_what_it_showed_alone(
        self, environment: Environment, policies: Policies
    ) -> None:
        plain = self._rounds(environment, policies, show_some)
        other = self._rounds(environment, policies, show_some, version=9)
        assert [feedback for _, _, feedback in plain] == [feedback for _, _, feedback in other]

    def test_nothing_but_context_candidates_and_feedback_crosses(
        self, environment: Environment, policies: Policies
    ) -> None:
        session = environment.session(seed=1, policies=policies, tolerance=0.1)
        for number in range(1, 101):
            question = session.ask()
            assert len(question) == 2
            context, actions = question
            shown = show_some(number, context, actions)
            feedback = session.answer(decided(number, context, actions, shown))
            assert type(feedback) is Feedback
            if shown == NOTHING:
                assert feedback.revealed
                assert feedback.reward == 0
            assert feedback.correction is None or feedback.reward == 0

    def test_a_policy_has_no_regret_against_itself(self, environment: Environment, policies: Policies) -> None:
        for i in range(min(3, len(policies))):
            alone = policies.subset([i])

            def follow(number: int, context: Any, actions: Actions, policy: Policies = alone) -> int:  # noqa: ARG001 - as `Choose`
                return int(policy.vote(context, actions)[0])

            session = environment.session(seed=1, policies=alone, tolerance=0.1)
            run(session, follow, 300)
            tally = session.tally()
            for name in ("reward_regret", "reward_regret_mixture", "constraint_regret", "fidelity_regret"):
                assert abs(tally[name]) < 1e-9, f"{name} is {tally[name]}"
            assert tally["rounds"] == tally["shown"] == 300

    def test_audits_earn_nothing_and_count_as_not_shown(self, environment: Environment, policies: Policies) -> None:
        session = environment.session(seed=1, policies=policies, tolerance=0.1)
        run(session, ask_the_user, 50)
        tally = session.tally()
        assert (tally["audits"], tally["shown"], tally["accepted"], tally["reward"]) == (50, 0, 0, 0)
        assert tally["corrections"] == 0  # an answer to an audit is not volunteered
        assert tally["fidelity_regret"] == tally["fidelity_loss"] == 0

    def test_a_tally_in_between_changes_nothing(self, environment: Environment, policies: Policies) -> None:
        plain = environment.session(seed=1, policies=policies, tolerance=0.1)
        looked = environment.session(seed=1, policies=policies, tolerance=0.1)
        run(plain, show_some, self.rounds)
        for number in range(1, self.rounds + 1):
            context, actions = looked.ask()
            if number % 7 == 0:
                assert looked.tally()["rounds"] == number - 1  # with a round open
            looked.answer(decided(number, context, actions, show_some(number, context, actions)))
            if number % 5 == 0:
                assert looked.tally()["rounds"] == number
        assert_same_tally(plain.tally(), looked.tally())

    def test_a_tape_holds_the_rounds_and_the_tally_that_stepping_gives(
        self, environment: Environment, policies: Policies
    ) -> None:
        stepped: Any = environment.session(seed=1, policies=policies, tolerance=0.1)
        if not hasattr(stepped, "settle"):
            import pytest

            pytest.skip("no tape")
        feedbacks = run(stepped, show_some, self.rounds)
        taped: Any = environment.session(seed=1, policies=policies, tolerance=0.1)
        came: list[tuple[float, bool, Any]] = []
        done, tallies = 0, []
        while done < self.rounds:
            tape = taped.tape(min(max(1, self.rounds // 2), self.rounds - done) if done else 1)
            n = len(tape.contexts)
            assert n >= 1
            places = zip(range(done + 1, done + n + 1), tape.contexts, strict=True)
            shown = np.array(
                [show_some(t, tape.tables.contexts[x], tape.tables.actions[x]) for t, x in places], dtype=np.int32
            )
            responses = tape.respond(shown, shown == NOTHING)
            for x, reward, revealed, entered in zip(tape.contexts, *responses[1:], strict=True):
                came.append((reward, bool(revealed), tape.tables.answers[x][entered] if revealed else None))
            tallies += taped.settle(tape, Plays(shown, shown, shown == NOTHING, responses), np.array([n]))
            done += n
        assert came == [(feedback.reward, feedback.revealed, feedback.answer) for feedback in feedbacks]
        assert_same_tally(stepped.tally(), taped.tally())
        assert_same_tally(stepped.tally(), tallies[-1])

    def _rounds(
        self, environment: Environment, policies: Policies, choose: Choose, seed: int = 1, version: int = 0
    ) -> list[tuple[tuple[Any, Actions], int, Feedback]]:
        session = environment.session(seed=seed, policies=policies, tolerance=0.1)
        found = []
        for number in range(1, self.rounds + 1):
            context, actions = session.ask()
            shown = choose(number, context, actions)
            found.append(
                ((context, actions), shown, session.answer(decided(number, context, actions, shown, version=version)))
            )
        return found


def run(session: Session, choose: Choose, rounds: int) -> list[Feedback]:
    """Play by a fixed rule."""
    feedbacks = []
    for number in range(1, rounds + 1):
        context, actions = session.ask()
        feedbacks.append(session.answer(decided(number, context, actions, choose(number, context, actions))))
    return feedbacks


def decided(number: int, context: Any, actions: Actions, shown: int, *, version: int = 0) -> Decision:
    """To show this index, or to ask the user."""
    return Decision(
        round=Round(number, context, actions),
        action=None if shown == NOTHING else actions[shown],
        index=shown,
        suggestion=max(shown, 0),
        propensities=np.full(len(actions), 1.0 / len(actions)),
        revealing=shown == NOTHING,
        version=version,
    )


def ask_the_user(number: int, context: Any, actions: Actions) -> int:  # noqa: ARG001 - as `Choose`
    """An audit in every round."""
    return NOTHING


def show_first(number: int, context: Any, actions: Actions) -> int:  # noqa: ARG001 - as `Choose`
    """The first candidate."""
    return 0


def show_last(number: int, context: Any, actions: Actions) -> int:  # noqa: ARG001 - as `Choose`
    """The last candidate."""
    return len(actions) - 1


def show_some(number: int, context: Any, actions: Actions) -> int:  # noqa: ARG001 - as `Choose`
    """All of them in turn, and an audit."""
    return number % (len(actions) + 1) - 1


def assert_same_tally(one: dict[str, float], other: dict[str, float]) -> None:
    """The same figures to 1e-9 per round."""
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert abs(value - other[name]) <= 1e-9 * max(1.0, one["rounds"]), f"{name}: {value} and {other[name]}"
