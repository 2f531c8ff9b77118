"""SharedExp4, the default for a finite set of policies: one mixture, every blend learns from every round.

Exp4 at several blends of rewards and corrections, weighed against each other by what they would have earned; fidelity
from doubly robust estimates (notes section 5, form iii) anchored at what most of the shortlist would show; a constraint
in two layers, elimination for the guarantee and a shortlist for what is played; audits while what is played is not
certified. No knowledge of the horizon, of nu or of careless users. What is guaranteed: docs/decisions/0018. Equations:
`kernels.shared`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Actions, Vector
from typeover.core.decision import Decision, Round, check_actions
from typeover.core.feedback import Feedback, Outcome
from typeover.core.protocols import Policies, SurrogateLoss
from typeover.core.tape import Plays, Tables, Tape
from typeover.learners.checks import check_loss, votes_of
from typeover.learners.keeping import Arrays, Keeping, Words, replace
from typeover.learners.rounds import Bound, Revealing, between, bind, place
from typeover.learners.settings import SharedSettings
from typeover.learners.stamping import interval, let_pass

ARRAYS = ("sums", "flags", "master", "book")
"""What is learnt, by the names that a state gives it."""


class Kept(NamedTuple):
    """What an answer needs of its own decision."""

    shares: Vector
    """q_m(a_t): the probability of the suggestion under each blend."""
    control: Vector
    """h: Delta of every candidate to the anchor's."""
    gamma: float
    """The audit probability among rounds that stay."""
    weight: float
    """lam."""


class SharedExp4(Keeping):
    """Learns from every accept, correction and audit; with `audits=0` fidelity rests on what users volunteer."""

    thing = "shared-exp4"
    loss: SurrogateLoss

    def __init__(
        self,
        *,
        policies: Policies,
        loss: SurrogateLoss,
        tolerance: float,
        audits: str | int = "need",
        audit_budget: int | None = None,
        blends: Sequence[float] | None = None,
        base_rate: float = 4.0,
        master_rate: float = 2.0,
        reserve: bool = True,
        strictness: float = 1.0,
        failure: float = 0.05,
        revealing: Revealing = None,
        seed: int | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """`audits`: "need" (while what is played is not certified), "fixed" (at a falling rate) or 0."""
        from typeover.kernels import shared

        super().__init__(policies=policies, parts={"loss": loss, "revealing": revealing}, seed=seed, rng=rng)
        self.loss = check_loss(loss)
        given = {} if blends is None else {"blends": tuple(float(blend) for blend in blends)}
        self.settings = SharedSettings(
            tolerance=tolerance, audits=audits, audit_budget=audit_budget, base_rate=base_rate, master_rate=master_rate,
            reserve=reserve, strictness=strictness, failure=failure, **given,
        )  # fmt: skip
        self._revealing = revealing
        self._kernel = shared
        n, blended = len(policies), self.settings.blends
        self._sums, self._flags = np.zeros((4, n)), np.ones((2, n), dtype=np.bool_)
        self._master, self._book = np.zeros((3, len(blended))), np.zeros(shared.BOOK)
        self._master[shared.BLENDS], self._master[shared.SHARES] = blended, 1 / len(blended)
        self._book[shared.NEED], self._book[shared.NEXT_LOOK] = 1.0, shared.FIRST_LOOK
        self._plain = self.settings.plain()
        self._scratch = np.zeros(n), np.zeros(n), np.zeros(n)
        self._bound: tuple[Bound, Vector] | None = None

    @property
    def tolerance(self) -> float:
        """Epsilon."""
        return float(self.settings.tolerance)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which policies the elimination has left."""
        left: NDArray[np.bool_] = self._flags[self._kernel.ALIVE].copy()
        return left

    def decide(self, context: Any, actions: Actions) -> Decision:
        """Draw a suggestion and, apart from it, whether to ask instead of showing it."""
        candidates = check_actions(actions)
        self._check_whole()
        votes = votes_of(self.policies, context, candidates)
        audited = None if self.settings.audits == 0 else place(self._revealing, context, candidates)
        kernel, book, n_actions = self._kernel, self._book, len(candidates)
        weights, powers, played = self._scratch
        shares, propensities = np.zeros((self._master.shape[1], n_actions)), np.zeros(n_actions)
        known = self._flags, self._master, book, self._plain
        before = book.copy(), self._flags.copy()
        book[kernel.ROUND] += 1
        kernel.review(self._sums, *known, weights, powers, played)
        anchor = candidates[kernel.consensus(votes, self._flags, np.zeros(n_actions))]
        try:
            control = self._distances(candidates, anchor, context)
        except Exception:
            book[:], self._flags[:] = before  # a round that is refused did not take place
            raise
        uniforms = self._rng.random(2)
        suggestion, is_audit, gamma, weight = kernel.choose(
            votes, *uniforms, self._sums, *known, weights, powers, shares, propensities
        )
        kept = Kept(shares[:, suggestion].copy(), control, kernel.effective(gamma, book), weight)
        if gamma > 0 and not is_audit:
            kernel.estimate(votes, control, suggestion, weight, self._sums, book)
        index = suggestion if not is_audit else -1 if audited is None else audited
        return Decision(
            round=Round(self._ledger.decided(revealing=bool(is_audit)), context, candidates),
            action=candidates[index] if index >= 0 else None,
            index=index,
            suggestion=suggestion,
            propensities=propensities,
            revealing=bool(is_audit),
            audit_probability=gamma,
            version=int(book[kernel.LOOKS]),
            kept=kept,
            recommended=votes,
        )

    def _learn(self, decision: Decision, feedback: Feedback) -> None:
        kernel, kept, votes, a = self._kernel, decision.kept, decision.recommended, decision.suggestion
        heard, is_entered = self._told(decision, feedback), feedback.revealed
        if decision.revealing:
            if is_entered:
                bar = np.zeros(len(heard))
                kernel.audited(votes, a, kept.control, heard, kept.gamma, kept.weight, self._sums, self._book, bar)
            else:
                self._book[kernel.REFUSED] += 1
            return
        loss, probability = 1.0 - feedback.reward, decision.propensities[a]
        kernel.rewarded(votes, a, loss, probability, kept.shares, self._sums, self._master)
        if is_entered or feedback.outcome is Outcome.ACCEPTED:
            gamma = decision.audit_probability
            kernel.taught(votes, a, heard, is_entered, gamma, self._sums, self._book, self._plain)

    def _amend(self, decision: Decision, accept: Feedback, correction: Feedback) -> None:
        kernel, kept, votes, a = self._kernel, decision.kept, decision.recommended, decision.suggestion
        accepted, entered = self._told(decision, accept), self._told(decision, correction)
        missing, probability = accept.reward, decision.propensities[a]  # the loss rises from 1 - r to 1

        def teach(deltas: Vector, sums: Vector, book: Vector) -> None:
            is_typed = False  # what is typed over at once is what let_pass weighs: this was let pass at the time
            kernel.taught(votes, a, deltas, is_typed, decision.audit_probability, sums, book, self._plain)

        kernel.rewarded(votes, a, missing, probability, kept.shares, self._sums, self._master)
        replace(teach, accepted, entered, self._sums, self._book)

    def play(self, tape: Tape) -> Plays:
        """Decide and learn on every round of the tape, by the same compiled functions."""
        self._check_whole()
        bound, near = self._bind(tape.tables)
        n, n_actions = len(tape.contexts), bound.deltas.shape[2]
        nothing = np.zeros(n, dtype=np.bool_)
        would = [tape.respond(np.full(n, a, dtype=np.int32), nothing) for a in range(n_actions)]
        entered = tape.respond(np.full(n, -1, dtype=np.int32), ~nothing).entered
        suggestions, audits = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
        blends = self._master.shape[1]
        self._is_torn = True
        self._kernel.play(
            bound.votes, near, bound.deltas, tape.contexts, np.array([w.accepted for w in would]),
            np.array([w.rewards for w in would]), np.array([w.revealed for w in would]), entered,
            self._rng.random((n, 2)), self._sums, self._flags, self._master, self._book, self._plain, *self._scratch,
            np.zeros((blends, n_actions)), np.zeros(n_actions), np.zeros(n_actions), suggestions, audits,
        )  # fmt: skip
        shown = np.where(audits, bound.revealing[tape.contexts], suggestions)
        responses = tape.respond(shown, audits)
        self._ledger.played(responses, audits)
        self._is_torn = False
        return Plays(suggestions, shown, audits, responses)

    def figures(self) -> dict[str, Any]:
        """Counts, fidelity of what is suggested with its interval, what users let pass, blends, policies left."""
        kernel, book = self._kernel, self._book
        known = book[kernel.WEIGHT] > 0
        fidelity = float(1 - book[kernel.PLAYED] / book[kernel.WEIGHT]) if known else None
        error = math.sqrt(book[kernel.PLAYED_SQUARES]) / book[kernel.WEIGHT] if known else 0.0
        rests_on = "corrections and accepts, taken at their word" if self.settings.audits == 0 else "audits"
        return self._counted() | {
            "tolerance": self.tolerance,
            "fidelity": fidelity,
            "fidelity_interval": None if fidelity is None else interval(fidelity, error),
            "fidelity_rests_on": rests_on,
            "let_pass": let_pass(book, self._ledger),
            "blends": dict(zip(map(str, self.settings.blends), self._master[kernel.SHARES].tolist(), strict=True)),
            "alive": int(self._flags[kernel.ALIVE].sum()),
            "shortlist": int(self._flags[kernel.LISTED].sum()),
            "audit_need": float(book[kernel.NEED]),
        }

    def _words(self) -> Words:
        return {}

    def _arrays(self) -> Arrays:
        return {name: getattr(self, f"_{name}") for name in ARRAYS}

    def _restore(self, words: Words, arrays: Arrays) -> None:  # noqa: ARG002 - all that is learnt is in arrays
        for name in ARRAYS:
            setattr(self, f"_{name}", arrays[name].copy())

    def _bind(self, tables: Tables) -> tuple[Bound, Vector]:
        if self._bound is None or self._bound[0].tables is not tables:
            self._bound = bind(tables, self.policies, self.loss, self._revealing), between(tables, self.loss)
        return self._bound
