"""Algorithm 2: Exp4 learners over the policies still alive, one per blend; a master asks one of them each round.

`CorralledExp4` is the algorithm, `ConstrainedExp4` one of its bases on its own (Eq. 11). What is asked of users, and
which policies that rules out, is `constraints`. Only the base that was asked hears the reward, so that a round costs
O(n_policies + M): docs/decisions/0020. Equations: `kernels.corral`. Guarantee: Theorem 8, `theory.corral`; Theorem 6,
`theory.exp4`.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.constraints import ActiveQueries, Constraint, DoublyRobust, constraint_of
from typeover.constraints.estimators import unconstrained
from typeover.core.arrays import Actions, Vector, Votes
from typeover.core.decision import Decision, Round, check_actions
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Plays, Tables, Tape
from typeover.errors import InvalidInputError
from typeover.learners.checks import check_loss, votes_of
from typeover.learners.keeping import Arrays, Keeping, Words, replace
from typeover.learners.rounds import Bound, Revealing, between, bind, place
from typeover.learners.settings import ConstrainedSettings, CorralledSettings
from typeover.learners.stamping import interval, let_pass
from typeover.theory import blend_grid
from typeover.theory.corral import corral_settings

ARRAYS = ("rewards", "sums", "alive", "master", "book")
"""What is learnt, by the names that a state gives it."""
ANCHORED = DoublyRobust()
"""The default constraint."""


class Kept(NamedTuple):
    """What an answer needs of its own decision."""

    base: int
    """m_t."""
    share: float
    """P_{t,m_t}."""
    control: Vector
    """h: Delta of every candidate to the control's; empty where there is none."""
    gamma: float
    """The audit probability among rounds that stay."""


class Corral(Keeping):
    """Bases, sets and state; how many bases there are is the subclass's."""

    def __init__(
        self, *, policies: Policies, loss: SurrogateLoss | None, settings: ConstrainedSettings | CorralledSettings,
        revealing: Revealing, seed: int | None, rng: np.random.Generator | None,
    ) -> None:  # fmt: skip
        from typeover.kernels import corral, leader, shared

        self.loss = loss if loss is None and settings.constraint is None else check_loss(loss)
        super().__init__(policies=policies, parts={"loss": loss, "revealing": revealing}, seed=seed, rng=rng)
        self.settings = settings
        self.constraint = settings.constraint
        self._revealing = revealing
        self._kernel, self._shared = corral, shared
        n = len(policies)
        self._rewards, self._master = np.zeros((0, n)), np.zeros((7, 0))  # bases come with the first round
        self._alive = np.ones(n, dtype=np.bool_)
        self._book = np.zeros(corral.ENTRIES)
        self._book[shared.NEXT_LOOK] = shared.FIRST_LOOK
        self._plain = self._plain_constraint(n)
        has_second = self._plain[corral.KIND] == corral.ACTIVE or self._plain[corral.RADIUS] == corral.BY_SQUARES
        self._sums = np.zeros((1 + has_second, n))
        self._scratch = np.zeros(leader.SCRATCH)
        self._bound: tuple[Bound, Vector] | None = None

    @abc.abstractmethod
    def _new_bases(self, n_actions: int) -> Vector:
        """The rows of `master` before the first round."""

    @property
    def tolerance(self) -> float:
        """Epsilon."""
        return float(self.settings.tolerance)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which policies the elimination has left."""
        return self._alive.copy()

    def decide(self, context: Any, actions: Actions) -> Decision:
        """Draw a base, its suggestion and, apart from both, whether to ask instead of showing it."""
        candidates = check_actions(actions)
        self._check_whole()
        self._check_observable()
        votes = votes_of(self.policies, context, candidates)
        asks = self.constraint is not None and self.constraint.asks
        audited = place(self._revealing, context, candidates) if asks else None
        before = self._book.copy(), self._master, self._master.copy(), self._rewards, self._rng.bit_generator.state
        alive = self._alive.copy()
        try:
            kept, suggestion, is_audit, gamma, propensities = self._drawn(votes, candidates, context)
        except Exception:  # a round that is refused did not take place
            self._book[:], self._master, self._rewards = before[0], before[1], before[3]
            self._master[:], self._rng.bit_generator.state, self._alive[:] = before[2], before[4], alive
            raise
        index = suggestion if not is_audit else -1 if audited is None else audited
        return Decision(
            round=Round(self._ledger.decided(revealing=is_audit), context, candidates),
            action=candidates[index] if index >= 0 else None,
            index=index,
            suggestion=suggestion,
            propensities=propensities,
            revealing=is_audit,
            audit_probability=gamma,
            version=int(self._book[self._shared.LOOKS]),
            kept=kept,
            recommended=votes,
        )

    def marginal(self, context: Any, actions: Actions) -> Vector:
        """How likely the next round is to suggest each candidate, over all bases: sum of P_m p_m(a).

        Of the next round, since the sums that an earlier decision was drawn from are gone; it changes nothing and takes
        O(M n_policies).
        """
        candidates = check_actions(actions)
        self._check_whole()
        votes, near = votes_of(self.policies, context, candidates), self._near(candidates, context)
        rewards, master = self._bases(len(candidates))
        chances, reached = np.zeros(len(candidates)), 0.0
        for m in range(master.shape[1]):
            own, p = master.copy(), np.zeros(len(candidates))
            which = np.array([reached, 0.0, 1.0])  # the uniform that draws base m
            self._pick(votes, near, which, rewards, self._alive.copy(), own, self._book.copy(), p)
            share = own[self._kernel.SHARES, m]
            chances, reached = chances + share * p, reached + share
        return chances

    def play(self, tape: Tape) -> Plays:
        """Decide and learn on every round of the tape, by the same compiled functions."""
        self._check_whole()
        bound, near = self._bind(tape.tables)
        n, n_actions = len(tape.contexts), bound.deltas.shape[2]
        self._rewards, self._master = self._bases(n_actions)
        nothing = np.zeros(n, dtype=np.bool_)
        would = [tape.respond(np.full(n, a, dtype=np.int32), nothing) for a in range(n_actions)]
        entered = tape.respond(np.full(n, -1, dtype=np.int32), ~nothing).entered
        suggestions, audits = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
        self._is_torn = True
        self._kernel.run(
            bound.votes, near, bound.deltas, tape.contexts, np.array([w.accepted for w in would]),
            np.array([w.rewards for w in would]), np.array([w.revealed for w in would]), entered,
            self._rng.random((n, 3)), self._rewards, self._sums, self._alive, self._master, self._book, self._plain,
            self._scratch, np.zeros((5, self._master.shape[1])), np.zeros(n_actions), np.zeros(n_actions),
            suggestions, audits, np.zeros(n, dtype=np.int32), np.zeros((n, 2)),
        )  # fmt: skip
        shown = np.where(audits, bound.revealing[tape.contexts], suggestions)
        responses = tape.respond(shown, audits)
        self._ledger.played(responses, audits)
        self._is_torn = False
        return Plays(suggestions, shown, audits, responses)

    def figures(self) -> dict[str, Any]:
        """Counts, estimated fidelity, how likely each base is asked, policies left, when the estimates were frozen."""
        book, kernel, k = self._book, self._kernel, self._shared
        weight = float(book[k.WEIGHT])
        fidelity = 1 - float(book[k.PLAYED]) / weight if weight else None
        is_robust = isinstance(self.constraint, DoublyRobust) and self.constraint.asks
        found = self._counted() | {
            "tolerance": self.tolerance,
            "fidelity": fidelity,
            "fidelity_interval": None,
            "fidelity_rests_on": "audits" if is_robust else "corrections and accepts, taken at their word",
            "let_pass": let_pass(book, self._ledger) if is_robust else None,
            "blends": dict(
                zip(map(str, self._master[kernel.BLENDS].tolist()), self._master[kernel.SHARES].tolist(), strict=True)
            ),
            "alive": int(self._alive.sum()),
            "frozen_at": int(book[kernel.CLOSED]) or None,
        }
        if fidelity is not None:
            found["fidelity_interval"] = interval(fidelity, math.sqrt(book[k.PLAYED_SQUARES]) / weight)
        if self.constraint is None or isinstance(self.constraint, ActiveQueries):
            found["fidelity_rests_on"] = None  # active queries see only rounds in which policies disagree
        return found

    def _words(self) -> Words:
        return {}

    def _arrays(self) -> Arrays:
        return {name: getattr(self, f"_{name}") for name in ARRAYS}

    def _restore(self, words: Words, arrays: Arrays) -> None:  # noqa: ARG002 - all that is learnt is in arrays
        for name in ARRAYS:
            setattr(self, f"_{name}", arrays[name].copy())

    def _plain_constraint(self, n_policies: int) -> Vector:
        if self.constraint is None or self.settings.horizon is None:
            return unconstrained()
        horizon = self.settings.horizon
        return self.constraint.plain(tolerance=self.settings.tolerance, horizon=horizon, n_policies=n_policies)

    def _bases(self, n_actions: int) -> tuple[Vector, Vector]:
        """`rewards` and `master`; new ones before the first round, which tells how many candidates a round has."""
        if self._master.shape[1]:
            return self._rewards, self._master
        master = self._new_bases(n_actions)
        return np.zeros((master.shape[1], len(self.policies))), master

    def _drawn(self, votes: Votes, candidates: Actions, context: Any) -> tuple[Kept, int, bool, float, Vector]:
        kernel, book = self._kernel, self._book
        is_active, propensities = isinstance(self.constraint, ActiveQueries), np.zeros(len(candidates))
        self._rewards, self._master = self._bases(len(candidates))
        near = self._near(candidates, context)
        base, suggestion, is_audit, gamma = self._pick(
            votes, near, self._rng.random(3), self._rewards, self._alive, self._master, book, propensities
        )
        at, h = kernel.control(votes, suggestion, book, self._plain), np.zeros(0)
        if at >= 0 and (is_active or gamma > 0):
            h = self._distances(candidates, candidates[at], context)
            if not is_audit:
                kernel.absorb(votes, h, suggestion, kernel.SHOWN, *self._heard())
        share = float(self._master[kernel.SHARES, base])
        kept = Kept(int(base), share, h, float(self._shared.effective(gamma, book)))
        return kept, int(suggestion), bool(is_audit), float(gamma), propensities

    def _near(self, candidates: Actions, context: Any) -> Vector:
        """Delta between candidates, where it decides whether to ask."""
        if not isinstance(self.constraint, ActiveQueries) or self._book[self._kernel.CLOSED]:
            return np.zeros((1, 1))
        return np.array([self._distances(candidates, a, context) for a in candidates])

    def _pick(
        self, votes: Votes, near: Vector, uniforms: Vector, rewards: Vector, alive: NDArray[np.bool_],
        master: Vector, book: Vector, p: Vector,
    ) -> tuple[int, int, bool, float]:  # fmt: skip
        """The next round: fills P, and p of the base that is asked."""
        u_base, u_action, u_audit = uniforms
        self._kernel.narrow(self._sums, alive, book, self._plain)
        drawn: tuple[int, int, bool, float] = self._kernel.pick(
            votes, near, u_base, u_action, u_audit, rewards, self._sums, alive, master, book, self._plain,
            self._scratch, np.zeros((5, master.shape[1])), p,
        )  # fmt: skip
        return drawn

    def _learn(self, decision: Decision, feedback: Feedback) -> None:
        kernel, kept, votes, a = self._kernel, decision.kept, decision.recommended, decision.suggestion
        known = self._heard()
        is_entered, heard = feedback.revealed, None
        if self.constraint is not None and (is_entered or feedback.outcome is Outcome.ACCEPTED):
            heard = self._told(decision, feedback)
        if decision.revealing:
            if heard is None:
                self._book[self._shared.REFUSED] += 1
            else:
                kernel.answered(votes, kept.control, heard, a, kept.gamma, *known, np.zeros(len(heard)))
            return
        chance = decision.propensities[a]
        kernel.pay(votes, kept.base, a, 1.0 - feedback.reward, kept.share, chance, self._rewards, self._master)
        if heard is not None:
            kernel.shown(votes, heard, is_entered, a, decision.audit_probability, *known)

    def _amend(self, decision: Decision, accept: Feedback, correction: Feedback) -> None:
        kernel, kept, votes, a = self._kernel, decision.kept, decision.recommended, decision.suggestion
        accepted, entered = self._told(decision, accept), self._told(decision, correction)
        missing, chance = accept.reward, decision.propensities[a]  # the loss rises from 1 - r to 1

        def teach(deltas: Vector, sums: Vector, book: Vector) -> None:
            is_typed = False  # what is typed over at once is what let_pass weighs: this was let pass at the time
            known = sums, self._alive, book, self._plain, self._scratch
            kernel.shown(votes, deltas, is_typed, a, decision.audit_probability, *known)

        kernel.pay(votes, kept.base, a, missing, kept.share, chance, self._rewards, self._master)
        if self._plain[kernel.KIND] == kernel.BIASED:  # the others take no accept for an answer
            replace(teach, accepted, entered, self._sums, self._book)

    def _heard(self) -> tuple[Any, ...]:
        """What the kernel's functions that hear of Delta share."""
        return self._sums, self._alive, self._book, self._plain, self._scratch

    def _bind(self, tables: Tables) -> tuple[Bound, Vector]:
        if self._bound is None or self._bound[0].tables is not tables:
            bound = bind(tables, self.policies, self.loss, self._revealing)
            nothing = np.zeros((1, bound.deltas.shape[2], bound.deltas.shape[2]))
            self._bound = bound, nothing if self.loss is None else between(tables, self.loss)
        return self._bound

    def _check_observable(self) -> None:
        """Nobody can say in an audit what a user would have done with a suggestion that was not shown."""
        constraint = self.constraint
        if isinstance(constraint, DoublyRobust) and constraint.asks and constraint.control == "counterfactual":
            raise InvalidInputError(
                'control is "counterfactual", which asks in an audit what the user would have done with a suggestion '
                "that was not shown; only a simulation on a tape can tell (typeover.simulate on a tabular world): use "
                '"anchored" or "played" round by round'
            )


class CorralledExp4(Corral):
    """Algorithm 2: the best blend is found by a master that asks one base a round.

    Slower than `SharedExp4`, in which every blend learns from every round, but with the paper's theorems.
    """

    thing = "corralled-exp4"

    def __init__(
        self,
        *,
        policies: Policies,
        loss: SurrogateLoss,
        tolerance: float,
        horizon: int,
        constraint: Constraint | Mapping[str, Any] = ANCHORED,
        blends: str | Sequence[float] = "grid",
        hedge_scale: float = 1.0,
        n_actions: int | None = None,
        revealing: Revealing = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """`hedge_scale` multiplies the regret that the master assumes of each base."""
        settings = CorralledSettings(
            tolerance=tolerance, horizon=horizon, constraint=constraint_of(constraint),
            blends=blends if isinstance(blends, str) else tuple(float(blend) for blend in blends),
            hedge_scale=hedge_scale, n_actions=n_actions,
        )  # fmt: skip
        super().__init__(policies=policies, loss=loss, settings=settings, revealing=revealing, seed=seed, rng=rng)
        self._corral = settings

    def _new_bases(self, n_actions: int) -> Vector:
        kernel, settings = self._kernel, self._corral
        K, T = settings.n_actions or n_actions, settings.horizon
        blends = blend_grid(K, T) if isinstance(settings.blends, str) else np.array(settings.blends)
        hedge = corral_settings(
            blends=blends, horizon=T, n_actions=K, n_policies=len(self.policies), hedge_scale=settings.hedge_scale,
            second_moment=settings.constraint.second_moment(T),
        )  # fmt: skip
        master = np.zeros((7, len(blends)))
        master[kernel.BLENDS], master[kernel.SHARES] = blends, 1 / len(blends)
        master[kernel.SCALES] = hedge.regrets
        master[kernel.INVERSES] = master[kernel.FIRST] = hedge.inverses
        return master


class ConstrainedExp4(Corral):
    """One base of Algorithm 2 without a master: Exp4 at one blend over the policies still alive (Eq. 11).

    `ConstrainedExp4(blend=1, constraint=None)` is Exp4 on rewards alone, a baseline that asks nothing and rules out
    nothing; it needs neither loss nor horizon.
    """

    thing = "constrained-exp4"

    def __init__(
        self,
        *,
        policies: Policies,
        loss: SurrogateLoss | None = None,
        tolerance: float,
        horizon: int | None = None,
        blend: float,
        constraint: Constraint | Mapping[str, Any] | None = ANCHORED,
        revealing: Revealing = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """`blend` 1 trusts rewards only, 0 corrections only."""
        settings = ConstrainedSettings(
            tolerance=tolerance, horizon=horizon, blend=blend,
            constraint=None if constraint is None else constraint_of(constraint),
        )  # fmt: skip
        super().__init__(policies=policies, loss=loss, settings=settings, revealing=revealing, seed=seed, rng=rng)
        self._blend = float(settings.blend)

    def _new_bases(self, n_actions: int) -> Vector:  # noqa: ARG002 - one base, however many candidates
        kernel, master = self._kernel, np.zeros((7, 1))
        master[kernel.BLENDS] = self._blend
        master[kernel.SHARES] = master[kernel.INVERSES] = master[kernel.FIRST] = 1.0
        return master
