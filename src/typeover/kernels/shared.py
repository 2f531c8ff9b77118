"""One mixture of Exp4 learners in which every blend learns from every round (notes on SharedExp4: docs/decisions/0018).

    Q_m ~ exp(-eta_m (mu_m A + (1 - mu_m) S)) on the shortlist          q_m(a) = sum of Q_m over policies that choose a
    P ~ exp(-rate L), then (1 - f) P + f 1(mu = 1)                      p(a) = sum_m P_m q_m(a)
    A += lhat(pi(x)),  lhat = 1(a = a_t)(1 - r)/p(a)                    L_m += q_m(a_t) lhat
    S += Deltahat(pi(x))                                W += lam,  D += lam Deltabar,  V += (lam Deltabar)^2

All sums are additive and each answer uses the probabilities of its own decision, so they are the same for every order
of arrival. Everything a round does is one of the functions below; a learner that is asked round by round and one that
plays a tape call the same ones.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from typeover.kernels.exponentials import leader_weights
from typeover.kernels.leader import _per_policy

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.int32]
Votes: TypeAlias = NDArray[Any]
"""Indices (n,), or probabilities (n, K) of randomised policies; the compiler makes a version of each."""

# Rows of `sums` (n_policies each).
REWARDS, LOSSES, CONSTRAINT, SQUARES = range(4)
# Rows of `flags`.
ALIVE, LISTED = range(2)
# Rows of `master` (one entry per blend).
BLENDS, CHARGED, SHARES = range(3)
# Entries of `book`.
ROUND, WEIGHT, SUPPORT, NEED, NEXT_LOOK, LOOKS, ANCHOR, IS_DUE, ASKED, ANSWERED, REFUSED = range(11)
# SUPPORT: how many candidates had p > 0, summed over rounds. ANCHOR is there for `kernels.corral`.
PLAYED, PLAYED_SQUARES = 11, 12  # lam Deltabar of what was suggested: the fidelity of what is played
ASKED_LOSS, ASKED_LOSS_SQUARES, ASKED_WRONG, ASKED_WRONG_SQUARES = 13, 14, 15, 16  # audits, each over gamma
TYPED_LOSS, TYPED_LOSS_SQUARES, TYPED_WRONG, TYPED_WRONG_SQUARES = 17, 18, 19, 20  # corrections, over 1 - gamma
BOOK = 21
# Entries of `settings`.
TOLERANCE, BASE_RATE, MASTER_RATE, RESERVE, AUDITS, BUDGET, FAILURE, STRICTNESS = range(8)
NO_AUDITS, BY_NEED, FIXED_RATE = 0.0, 1.0, 2.0

NEGLIGIBLE = 1e-6  # blends of a smaller share are skipped: their loss counts as 0, so they come back
FIRST_LOOK, GROWTH = 10.0, 1.1  # looks of the elimination
EARLY, EVERY = 100.0, 50.0  # need is 1 before EARLY; the shortlist is made anew every EVERY rounds
EAGER = 2000.0  # ... and after each audit before this round
DOUBLINGS = 40.0  # J: how often the sum of squares may double
CAUTION = 0.1  # lc: the log in the radius that need uses; a heuristic, not a bound
FLOOR = 0.02
SLIGHT = 0.02  # how far beyond the tolerance, as a share of it, doubt may carry a policy on the shortlist


@njit(cache=True)
def _full_rate(t: float) -> float:
    """The audit probability where audits are needed in full."""
    rate: float = max(0.5 * t ** (-1.0 / 3.0), 2.0 * t**-0.5)
    return rate


@njit(cache=True)
def _base_weights(
    m: int, sums: Floats, flags: Flags, master: Floats, book: Floats, settings: Floats, weights: Floats, powers: Floats
) -> float:
    """Q_m, not normalised; returns its sum."""
    blend, support = master[BLENDS, m], max(1.0, book[SUPPORT] / book[ROUND])
    variance = blend * blend * support + (1.0 - blend) * (1.0 - blend)
    n_policies = max(2.0, 1.0 * weights.size)
    rate = settings[BASE_RATE] * np.sqrt(np.log(n_policies) / (variance * book[ROUND]))
    return leader_weights(sums[REWARDS], sums[LOSSES], flags[LISTED], blend, rate, weights, powers)


@njit(cache=True)
def _share_out(master: Floats, book: Floats, settings: Floats) -> None:
    """P: exponential weights over the blends, with a reserve for the one that trusts rewards only."""
    n, t = master.shape[1], book[ROUND]
    rate = settings[MASTER_RATE] * np.sqrt(np.log(max(2.0, 1.0 * n)) / max(1.0, book[SUPPORT]))
    least, total = master[CHARGED].min(), 0.0
    for m in range(n):
        master[SHARES, m] = np.exp(-rate * (master[CHARGED, m] - least))
        total += master[SHARES, m]
    kept = min(0.5, t ** (-1.0 / 3.0)) if settings[RESERVE] > 0.0 else 0.0
    for m in range(n):
        master[SHARES, m] *= (1.0 - kept) / total
    master[SHARES, n - 1] += kept  # blends rise, so the last is mu = 1 where there is one


@njit(cache=True)
def _radius(squares: float, log: float, span: float, weight: float) -> float:
    """How far a weighted mean may be from its expectation: (sqrt(2 V l) + b l)/W."""
    wide: float = (np.sqrt(2.0 * squares * log) + span * log) / weight
    return wide


@njit(cache=True)
def review(
    sums: Floats,
    flags: Flags,
    master: Floats,
    book: Floats,
    settings: Floats,
    weights: Floats,
    powers: Floats,
    played: Floats,
) -> None:
    """Before a round: drop policies that break the constraint for sure, list those that seem to keep it, weigh need."""
    t, weight, n = book[ROUND], book[WEIGHT], weights.size
    if weight == 0.0:
        return
    is_look = t >= book[NEXT_LOOK]
    if not (is_look or t % EVERY == 0.0 or (book[IS_DUE] > 0.0 and t < EAGER)):
        return
    book[IS_DUE] = 0.0
    best = -1
    for i in range(n):
        if flags[ALIVE, i] and (best < 0 or sums[CONSTRAINT, i] < sums[CONSTRAINT, best]):
            best = i
    span = 2.0 if settings[AUDITS] == NO_AUDITS else 1.0 + 1.0 / min(1.0, _full_rate(t))
    least, eps = sums[CONSTRAINT, best] / weight, settings[TOLERANCE]
    if is_look:
        book[LOOKS] += 1.0
        book[NEXT_LOOK] = max(t + 1.0, t * GROWTH)
        log = np.log(2.0 * n * book[LOOKS] * (book[LOOKS] + 1.0) * DOUBLINGS / settings[FAILURE])
        own = _radius(sums[SQUARES, best], log, span, weight)
        for i in range(n):
            if sums[CONSTRAINT, i] / weight > least + eps + own + _radius(sums[SQUARES, i], log, span, weight):
                flags[ALIVE, i] = False
    lowest = np.inf
    for i in range(n):
        mean, error = sums[CONSTRAINT, i] / weight, np.sqrt(sums[SQUARES, i]) / weight
        doubt = min(settings[STRICTNESS] * (error + np.sqrt(sums[SQUARES, best]) / weight), SLIGHT * eps)
        flags[LISTED, i] = flags[ALIVE, i] and mean <= least + eps + doubt
        if flags[ALIVE, i]:
            lowest = min(lowest, mean - _radius(sums[SQUARES, i], CAUTION, span, weight))
    if settings[AUDITS] != BY_NEED or t < EARLY:
        return
    played[:] = 0.0
    for m in range(master.shape[1]):
        if master[SHARES, m] >= NEGLIGIBLE:
            total = _base_weights(m, sums, flags, master, book, settings, weights, powers)
            for i in range(n):
                played[i] += master[SHARES, m] * weights[i] / total
    doubtful = 0.0
    for i in range(n):
        if sums[CONSTRAINT, i] / weight + _radius(sums[SQUARES, i], CAUTION, span, weight) > lowest + eps:
            doubtful += played[i]
    book[NEED] = min(1.0, doubtful / played.sum())


@njit(cache=True)
def choose(
    votes: Votes,
    u_action: float,
    u_audit: float,
    sums: Floats,
    flags: Flags,
    master: Floats,
    book: Floats,
    settings: Floats,
    weights: Floats,
    powers: Floats,
    q: Floats,
    p: Floats,
) -> tuple[int, bool, float, float]:
    """The round's p and q, the suggestion, whether to audit, gamma and lam; an audit is drawn apart from the action."""
    _share_out(master, book, settings)
    p[:] = 0.0
    for m in range(master.shape[1]):
        q[m, :] = 0.0
        if master[SHARES, m] < NEGLIGIBLE:
            continue
        total = _base_weights(m, sums, flags, master, book, settings, weights, powers)
        for i in range(weights.size):
            if votes.ndim == 1:
                q[m, votes[i]] += weights[i] / total
            else:
                for a in range(p.size):
                    q[m, a] += votes[i, a] * weights[i] / total
        for a in range(p.size):
            p[a] += master[SHARES, m] * q[m, a]
    total = p.sum()
    for a in range(p.size):
        p[a] /= total
    suggestion, last, reached = -1, 0, 0.0
    for a in range(p.size):
        if p[a] > 0.0:
            book[SUPPORT] += 1.0  # sum_m P_m V_m = sum_a p(a)/p(a): what the rates of later rounds pay for
            last = a
            reached += p[a]
            if suggestion < 0 and u_action < reached:
                suggestion = a
    if suggestion < 0:
        suggestion = last  # the last possible action takes what rounding left
    full = _full_rate(book[ROUND])
    wanted = full
    if settings[AUDITS] == BY_NEED:
        wanted = max(FLOOR * book[ROUND] ** (-1.0 / 3.0), book[NEED] * full)
    gamma = 0.0
    if settings[AUDITS] != NO_AUDITS and book[ASKED] < settings[BUDGET]:
        gamma = min(1.0, wanted)
    is_audit = u_audit < gamma
    if is_audit:
        book[ASKED] += 1.0
        book[IS_DUE] = 1.0
    return suggestion, is_audit, gamma, min(1.0, wanted / full)


@njit(cache=True)
def effective(gamma: float, book: Floats) -> float:
    """The audit probability among the rounds that stay when some audits are not answered."""
    answered = (book[ANSWERED] + 1.0) / (book[ANSWERED] + book[REFUSED] + 1.0)
    stays: float = gamma * answered / (1.0 - gamma + gamma * answered)
    return stays


@njit(cache=True)
def consensus(votes: Votes, flags: Flags, counts: Floats) -> int:
    """What most of the shortlist would show: the anchor. `counts` is scratch, an entry per candidate."""
    counts[:] = 0.0
    for i in range(flags.shape[1]):
        if flags[LISTED, i]:
            if votes.ndim == 1:
                counts[votes[i]] += 1.0
            else:
                for a in range(counts.size):
                    counts[a] += votes[i, a]
    return int(np.argmax(counts))


@njit(cache=True)
def estimate(votes: Votes, values: Floats, suggestion: int, lam: float, sums: Floats, book: Floats) -> None:
    """Add Deltabar (a value per candidate) with weight lam to the sums of the constraint."""
    book[WEIGHT] += lam
    book[PLAYED] += lam * values[suggestion]
    book[PLAYED_SQUARES] += (lam * values[suggestion]) ** 2
    for i in range(sums.shape[1]):
        x = lam * _per_policy(votes, i, values)
        sums[CONSTRAINT, i] += x
        sums[SQUARES, i] += x * x


@njit(cache=True)
def _weigh(book: Floats, first: int, loss: float, probability: float) -> None:
    """How far a suggestion was from what was entered, and whether it was wrong, over the probability to hear of it."""
    wrong = 1.0 if loss > 0.0 else 0.0
    book[first] += loss / probability
    book[first + 1] += (loss / probability) ** 2
    book[first + 2] += wrong / probability
    book[first + 3] += wrong / probability**2


@njit(cache=True)
def audited(
    votes: Votes,
    suggestion: int,
    control: Floats,
    deltas: Floats,
    gamma: float,
    lam: float,
    sums: Floats,
    book: Floats,
    bar: Floats,
) -> None:
    """An answered audit: Deltabar = h + (Delta - h)/gamma, and Delta itself for the blends."""
    book[ANSWERED] += 1.0
    _weigh(book, ASKED_LOSS, deltas[suggestion], gamma)
    for a in range(bar.size):
        bar[a] = control[a] + (deltas[a] - control[a]) / gamma
    estimate(votes, bar, suggestion, lam, sums, book)
    _volunteered(votes, deltas, sums)


@njit(cache=True)
def _volunteered(votes: Votes, deltas: Floats, sums: Floats) -> None:
    """Deltahat: what was accepted or entered, taken at its word."""
    for i in range(sums.shape[1]):
        sums[LOSSES, i] += _per_policy(votes, i, deltas)


@njit(cache=True)
def taught(
    votes: Votes,
    suggestion: int,
    deltas: Floats,
    is_typed: bool,
    gamma: float,
    sums: Floats,
    book: Floats,
    settings: Floats,
) -> None:
    """A shown suggestion that was accepted or typed over; without audits that is all that fidelity rests on."""
    _volunteered(votes, deltas, sums)
    if is_typed:
        _weigh(book, TYPED_LOSS, deltas[suggestion], 1.0 - gamma)
    if settings[AUDITS] == NO_AUDITS:
        estimate(votes, deltas, suggestion, 1.0, sums, book)


@njit(cache=True)
def rewarded(
    votes: Votes, action: int, loss: float, probability: float, shares: Floats, sums: Floats, master: Floats
) -> None:
    """What a shown action earned: one importance-weighted estimate serves every blend."""
    estimated = loss / probability
    if estimated == 0.0:
        return
    for i in range(sums.shape[1]):
        if votes.ndim == 1:
            if votes[i] == action:
                sums[REWARDS, i] += estimated
        else:
            sums[REWARDS, i] += votes[i, action] * estimated
    for m in range(master.shape[1]):
        master[CHARGED, m] += shares[m] * estimated


@njit(cache=True)
def play(
    by_context: Votes,
    between: Floats,
    deltas: Floats,
    contexts: Indices,
    accepted: Flags,
    rewards: Floats,
    revealed: Flags,
    entered: Indices,
    uniforms: Floats,
    sums: Floats,
    flags: Flags,
    master: Floats,
    book: Floats,
    settings: Floats,
    weights: Floats,
    powers: Floats,
    played: Floats,
    q: Floats,
    p: Floats,
    bar: Floats,
    suggestions: Indices,
    audits: Flags,
) -> None:
    """A stretch of a tape: `accepted`, `rewards`, `revealed` say per candidate and round what a user would do."""
    for t in range(contexts.size):
        x = contexts[t]
        votes = by_context[x]
        book[ROUND] += 1.0
        review(sums, flags, master, book, settings, weights, powers, played)
        a, is_audit, gamma, lam = choose(
            votes, uniforms[t, 0], uniforms[t, 1], sums, flags, master, book, settings, weights, powers, q, p
        )
        suggestions[t], audits[t] = a, is_audit
        near = between[min(x, between.shape[0] - 1)]  # one table for all contexts, or one each
        control = near[consensus(votes, flags, bar)]
        if is_audit:
            audited(votes, a, control, deltas[x, entered[t]], effective(gamma, book), lam, sums, book, bar)
            continue
        if gamma > 0.0:
            estimate(votes, control, a, lam, sums, book)
        rewarded(votes, a, 1.0 - rewards[a, t], p[a], q[:, a], sums, master)
        if accepted[a, t] or revealed[a, t]:
            heard = deltas[x, entered[t]] if revealed[a, t] else near[a]
            taught(votes, a, heard, revealed[a, t], gamma, sums, book, settings)


def _warm() -> None:
    """Compile every version: a round of two policies on either kind of votes."""
    for votes in (np.zeros((1, 2), dtype=np.int32), np.full((1, 2, 2), 0.5)):
        deltas = np.zeros((1, 2, 2))
        sums, flags, master = np.zeros((4, 2)), np.ones((2, 2), dtype=np.bool_), np.zeros((3, 2))
        book, settings, coins = np.zeros(BOOK), np.ones(FAILURE + 2), np.zeros((2, 1))
        answers, nothing = np.zeros(1, dtype=np.int32), np.zeros((2, 1), dtype=np.bool_)
        scratch = np.zeros(2), np.zeros(2), np.zeros(2)
        play(
            votes, deltas, deltas, answers, nothing, coins, nothing, answers, np.zeros((1, 2)), sums, flags, master,
            book, settings, *scratch, np.zeros((2, 2)), np.zeros(2), np.zeros(2), answers.copy(), nothing[0].copy(),
        )  # fmt: skip
        row, two, is_typed = votes[0], np.zeros(2), True
        known = sums, flags, master, book, settings, scratch[0], scratch[1]
        review(*known, scratch[2])
        choose(row, 0.5, 0.5, *known, np.zeros((2, 2)), two)
        effective(0.5, book)
        consensus(row, flags, two.copy())
        estimate(row, two, 0, 1.0, sums, book)
        audited(row, 0, two, two, 0.5, 1.0, sums, book, two.copy())
        taught(row, 0, two, is_typed, 0.5, sums, book, settings)
        rewarded(row, 0, 0.5, 0.5, two, sums, master)
