"""One round of Algorithm 2 in O(n + M): Exp4 at several blends over the policies still alive, corralled.

    P = argmin of Hedged FTRL on L,  m ~ P                              `kernels.master`
    Q_m ~ exp(-eta_m (mu_m A_m + (1 - mu_m) S)) on Pi_t                 p(a) = sum of Q_m over policies that choose a
    A_m += 1(m = m_t) 1(a_t = pi(x)) (1 - r)/(P_m p(a_t)) (1 - Z)       Eq. 11, the part that only base m_t hears
    S += Deltabar(pi(x))                                                Eq. 11, the part that every base hears
    eta_m = sqrt(log n / sum over s <= t of (mu_m^2 K rho_{s,m} + (1 - mu_m)^2 v_s^2)),  eta_m (1 - mu_m) b <= 1

Ltilde_m = mu_m A_m + (1 - mu_m) S is what Eq. 11 adds up for base m, so that only the base that is asked is ever looked
at. Z is drawn apart from m and a. The sets of Eq. 7 to Eq. 10 are narrowed at geometric looks. All sums are additive
and each answer uses the probabilities of its own decision: they are the same for every order of arrival. A learner that
is asked round by round and one that plays a tape call the same functions.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from typeover.kernels.leader import SCRATCH, _per_policy, add_and_rank, leader_votes
from typeover.kernels.master import charge, hedged_ftrl
from typeover.kernels.shared import (
    ANCHOR,
    ANSWERED,
    ASKED,
    ASKED_LOSS,
    BOOK,
    GROWTH,
    LOOKS,
    NEXT_LOOK,
    PLAYED,
    PLAYED_SQUARES,
    ROUND,
    TYPED_LOSS,
    WEIGHT,
    Flags,
    Floats,
    Indices,
    Votes,
    _weigh,
    effective,
)

# Rows of `sums` (n_policies each): S, and where it is needed a second one. What the sets rest on is S itself, but for
# active queries; its squares matter to the empirical radius only.
LOSSES, SECOND = range(2)
# Rows of `master` (one entry per base): mu, L, P, R, rho, rho_0, sum of K rho.
BLENDS, CHARGED, SHARES, SCALES, INVERSES, FIRST, SPENT = range(7)
# Entries of `book` after those of `kernels.shared`: sum of v^2, largest b, the last round that counts (0: not known).
MOMENT, BOUND, CLOSED = BOOK, BOOK + 1, BOOK + 2
ENTRIES = BOOK + 3
# Entries of `settings`, and what they may be, in the order of `constraints.estimators`.
TOLERANCE, KIND, CONTROL, GAMMA, BIAS, BUDGET, RADIUS, LENGTH, ROOT = range(9)
NONE, BIASED, ROBUST, ACTIVE = 0.0, 1.0, 2.0, 3.0
ANCHORED, AS_PLAYED, COUNTERFACTUAL = 0.0, 1.0, 2.0
BY_BIAS, BY_RATE, BY_MOMENTS, BY_SQUARES = 0.0, 1.0, 2.0, 3.0
SHOWN, ASKED_FOR = False, True  # Z


@njit(cache=True, error_model="numpy")
def _excess(squares: float, least_squares: float, t: float, book: Floats, settings: Floats) -> float:
    """What a policy's average over t rounds may exceed the least one by and be kept."""
    form, L = settings[RADIUS], settings[LENGTH]
    eps, nu = settings[TOLERANCE], settings[BIAS]
    if settings[KIND] == ACTIVE:
        active: float = 2.0 * eps + 12.0 * np.sqrt(2.0 * L / t)  # Eq. 9: 2 eps + 3 r_t
        return active
    if form == BY_BIAS:
        biased: float = eps + 2.0 * nu + 4.0 * np.sqrt(2.0 * L / t)  # Eq. 7
        return biased
    if form == BY_RATE:
        U = 4.0 * np.sqrt(max(1.0, nu * settings[ROOT]) * L / t) + 4.0 * settings[ROOT] * L / t
        robust: float = eps + 4.0 * U  # Eq. 8
        return robust
    if form == BY_MOMENTS:
        w = (np.sqrt(2.0 * book[MOMENT] * L) + 2.0 * book[BOUND] * L) / t
        nested: float = eps + 2.0 * w  # Eq. 10, doubled
        return nested
    length = L + np.log(book[LOOKS] * (book[LOOKS] + 1.0))
    wide = np.sqrt(2.0 * squares * length) + np.sqrt(2.0 * least_squares * length) + 2.0 * book[BOUND] * length
    slack = 2.0 * nu if settings[KIND] == BIASED else 0.0
    seen: float = eps + slack + wide / t
    return seen


@njit(cache=True, error_model="numpy")
def narrow(sums: Floats, alive: Flags, book: Floats, settings: Floats) -> None:
    """A round more; and, when a look is due, which policies stay."""
    book[ROUND] += 1.0
    if settings[KIND] == NONE:
        return
    t = book[WEIGHT]
    if settings[KIND] == ACTIVE:
        t = book[CLOSED] if book[CLOSED] > 0.0 else book[ROUND] - 1.0
    if book[ROUND] < book[NEXT_LOOK] or t == 0.0:
        return
    book[LOOKS] += 1.0
    book[NEXT_LOOK] = max(book[ROUND] + 1.0, book[ROUND] * GROWTH)
    constraint, squares = sums[SECOND if settings[KIND] == ACTIVE else LOSSES], sums[-1]
    best = int(book[ANCHOR])
    least = constraint[best] / t
    for i in range(alive.size):
        if constraint[i] / t > least + _excess(squares[i], squares[best], t, book, settings):
            alive[i] = False


@njit(cache=True, error_model="numpy")
def _disagreement(votes: Votes, near: Floats, alive: Flags) -> float:
    """The largest Delta between candidates that policies which are alive may choose."""
    n_actions, largest = near.shape[0], 0.0
    chosen = np.zeros(n_actions, dtype=np.bool_)
    for i in range(alive.size):
        if alive[i]:
            if votes.ndim == 1:
                chosen[votes[i]] = True
            else:
                for a in range(n_actions):
                    chosen[a] = chosen[a] or votes[i, a] > 0.0
    for a in range(n_actions):
        for b in range(n_actions):
            if chosen[a] and chosen[b]:
                largest = max(largest, near[a, b])
    return largest


@njit(cache=True, error_model="numpy")
def _audit_probability(votes: Votes, near: Floats, alive: Flags, book: Floats, settings: Floats) -> float:
    """Gamma, known before the round's action is drawn."""
    kind, t, gamma = settings[KIND], book[ROUND], 0.0
    if book[ASKED] >= settings[BUDGET]:
        return 0.0
    if kind == ROBUST:
        gamma = settings[GAMMA] if settings[GAMMA] >= 0.0 else 0.5 * t ** (-1.0 / 3.0)
    elif kind == ACTIVE:
        threshold = settings[TOLERANCE] + 2.0 * np.sqrt(2.0 * settings[LENGTH] / t)  # Eq. 9: eps + r_t/2
        if threshold <= 1.0 and _disagreement(votes, near, alive) >= threshold:
            gamma = 1.0
    return min(1.0, gamma)


@njit(cache=True, error_model="numpy")
def _fear(gamma: float, book: Floats, settings: Floats) -> None:
    """Add v^2, and raise b, to what this round's Deltabar may be."""
    kind, square, size = settings[KIND], 1.0, 1.0
    if kind == NONE or (kind == ROBUST and gamma == 0.0):
        return
    if kind == ROBUST and settings[CONTROL] == COUNTERFACTUAL:  # lem:doubly_robust
        square, size = 2.0 + 2.0 * settings[BIAS] ** 2 / gamma, 1.0 + settings[BIAS] / gamma
    elif kind == ROBUST:
        square, size = 1.0 / gamma, 1.0 / gamma
    book[MOMENT] += square
    book[BOUND] = max(book[BOUND], size)


@njit(cache=True, error_model="numpy")
def _drawn(p: Floats, u: float) -> int:
    """The first entry whose running sum exceeds u; the last possible one takes what rounding left."""
    last, reached = 0, 0.0
    for a in range(p.size):
        if p[a] > 0.0:
            last = a
            reached += p[a]
            if u < reached:
                return a
    return last


@njit(cache=True, error_model="numpy")
def pick(
    votes: Votes,
    near: Floats,
    u_base: float,
    u_action: float,
    u_audit: float,
    rewards: Floats,
    sums: Floats,
    alive: Flags,
    master: Floats,
    book: Floats,
    settings: Floats,
    blocks: Floats,
    scratch: Floats,
    p: Floats,
) -> tuple[int, int, bool, float]:
    """Fills P and p of the base that is asked; returns that base, the suggestion, whether to audit, and gamma."""
    n_bases = master.shape[1]
    if n_bases > 1:
        L, R, rho = master[CHARGED], master[SCALES], master[INVERSES]
        hedged_ftrl(L, book[ROUND], R, rho, master[FIRST], master[SHARES], scratch)
        charge(L, rho, master[SHARES], 0, 0.0, ASKED_FOR)  # rho only: the loss comes with the answer
    for j in range(n_bases):
        master[SPENT, j] += p.size * master[INVERSES, j]
    gamma = _audit_probability(votes, near, alive, book, settings)
    _fear(effective(gamma, book), book, settings)
    is_audit = u_audit < gamma
    if is_audit:
        book[ASKED] += 1.0
        if book[ASKED] >= settings[BUDGET]:
            book[CLOSED], book[NEXT_LOOK] = book[ROUND], book[ROUND] + 1.0
    m = _drawn(master[SHARES], u_base)
    mu = master[BLENDS, m]
    spread = mu * mu * master[SPENT, m] + (1.0 - mu) * (1.0 - mu) * book[MOMENT]
    rate = np.sqrt(np.log(1.0 * alive.size) / spread)
    if (1.0 - mu) * book[BOUND] > 0.0:
        rate = min(rate, 1.0 / ((1.0 - mu) * book[BOUND]))  # Deltabar may be negative
    leader_votes(rewards[m], sums[LOSSES], alive, votes, mu, rate, blocks, p)  # Q_t of Eq. 11, p_t = Q_t P_t
    return m, _drawn(p, u_action), is_audit, gamma


@njit(cache=True, error_model="numpy")
def _anchor_action(votes: Votes, book: Floats) -> int:
    """What the policy of least estimated loss would show: its likeliest candidate."""
    anchor = int(book[ANCHOR])
    return int(votes[anchor] if votes.ndim == 1 else np.argmax(votes[anchor]))


@njit(cache=True, error_model="numpy")
def control(votes: Votes, suggestion: int, book: Floats, settings: Floats) -> int:
    """The candidate to which h is the distance; -1 where h, if there is one, waits for what the user does."""
    kind, form = settings[KIND], settings[CONTROL]
    if kind == ACTIVE or (kind == ROBUST and form == ANCHORED):
        return _anchor_action(votes, book)
    return suggestion if kind == ROBUST and form == AS_PLAYED else -1


@njit(cache=True, error_model="numpy")
def _add_squares(votes: Votes, values: Floats, sums: Floats) -> None:
    """Its square."""
    for i in range(sums.size):
        sums[i] += _per_policy(votes, i, values) ** 2


@njit(cache=True, error_model="numpy")
def absorb(
    votes: Votes,
    values: Floats,
    suggestion: int,
    is_audit: bool,
    sums: Floats,
    alive: Flags,
    book: Floats,
    settings: Floats,
    blocks: Floats,
) -> None:
    """Add Deltabar, a value per candidate: to S, and to what the sets rest on; which policy then is the anchor."""
    is_active = settings[KIND] == ACTIVE
    if not is_active:
        book[WEIGHT] += 1.0
        book[PLAYED] += values[suggestion]
        book[PLAYED_SQUARES] += values[suggestion] ** 2
    row = SECOND if is_active and is_audit else LOSSES  # Eq. 11, on audits too where Deltabar is doubly robust
    least = add_and_rank(votes, values, sums[row], alive, blocks)
    if not is_active or is_audit:
        book[ANCHOR] = least
    if settings[RADIUS] == BY_SQUARES:
        _add_squares(votes, values, sums[SECOND])


@njit(cache=True, error_model="numpy")
def answered(
    votes: Votes,
    h: Floats,
    deltas: Floats,
    suggestion: int,
    gamma: float,
    sums: Floats,
    alive: Flags,
    book: Floats,
    settings: Floats,
    blocks: Floats,
    bar: Floats,
) -> None:
    """An audit that was answered: Deltabar = h + (Delta - h)/gamma, or Delta itself for active queries."""
    book[ANSWERED] += 1.0
    _weigh(book, ASKED_LOSS, deltas[suggestion], gamma)
    is_robust = settings[KIND] == ROBUST
    for a in range(bar.size):
        bar[a] = h[a] + (deltas[a] - h[a]) / gamma if is_robust else deltas[a]
    absorb(votes, bar, suggestion, ASKED_FOR, sums, alive, book, settings, blocks)


@njit(cache=True, error_model="numpy")
def pay(
    votes: Votes, base: int, action: int, loss: float, share: float, chance: float, rewards: Floats, master: Floats
) -> None:
    """What a shown action earned, for the base that was asked and for the master; `share` P_m, `chance` p_m(a)."""
    master[CHARGED, base] += loss / share
    estimated = loss / (share * chance)  # Eq. 11 with P_m p_m(a) for P_t
    if estimated == 0.0:
        return
    own = rewards[base]
    for i in range(own.size):
        if votes.ndim == 1:
            own[i] += estimated if votes[i] == action else 0.0
        else:
            own[i] += votes[i, action] * estimated


@njit(cache=True, error_model="numpy")
def shown(
    votes: Votes,
    deltas: Floats,
    is_typed: bool,
    suggestion: int,
    gamma: float,
    sums: Floats,
    alive: Flags,
    book: Floats,
    settings: Floats,
    blocks: Floats,
) -> None:
    """A suggestion that was accepted or typed over; only the biased estimate takes that at its word."""
    if is_typed and settings[KIND] == ROBUST:
        _weigh(book, TYPED_LOSS, deltas[suggestion], 1.0 - gamma)
    if settings[KIND] == BIASED:
        absorb(votes, deltas, suggestion, SHOWN, sums, alive, book, settings, blocks)


@njit(cache=True, error_model="numpy")
def run(
    by_context: Votes,
    between: Floats,
    deltas: Floats,
    contexts: Indices,
    accepted: Flags,
    earned: Floats,
    revealed: Flags,
    entered: Indices,
    uniforms: Floats,
    rewards: Floats,
    sums: Floats,
    alive: Flags,
    master: Floats,
    book: Floats,
    settings: Floats,
    blocks: Floats,
    scratch: Floats,
    p: Floats,
    bar: Floats,
    suggestions: Indices,
    audits: Flags,
    asked: Indices,
    chances: Floats,
) -> None:
    """A stretch of a tape: `accepted`, `earned`, `revealed` say per candidate and round what a user would do.

    Fills suggestions, audits, the bases asked and (P_m, p_m(a)). Only the counterfactual control looks up on an audit
    what the user would have done.
    """
    is_told = settings[KIND] == ROBUST and settings[CONTROL] == COUNTERFACTUAL
    for t in range(contexts.size):
        x = contexts[t]
        votes, near = by_context[x], between[min(x, between.shape[0] - 1)]  # one table for all contexts, or one each
        narrow(sums, alive, book, settings)
        m, a, is_audit, gamma = pick(
            votes, near, uniforms[t, 0], uniforms[t, 1], uniforms[t, 2], rewards, sums, alive, master, book, settings,
            blocks, scratch, p,
        )  # fmt: skip
        suggestions[t], audits[t], asked[t] = a, is_audit, m
        chances[t, 0], chances[t, 1] = master[SHARES, m], p[a]
        heard = deltas[x, entered[t]] if revealed[a, t] else near[a]
        is_known = accepted[a, t] or revealed[a, t]
        at = control(votes, a, book, settings)
        h = near[at] if at >= 0 else heard
        if is_audit:
            if is_known or not is_told:
                answered(
                    votes, h, deltas[x, entered[t]], a, effective(gamma, book), sums, alive, book, settings,
                    blocks, bar,
                )  # fmt: skip
            continue
        if settings[KIND] == ACTIVE or (gamma > 0.0 and (is_known or not is_told)):
            absorb(votes, h, a, SHOWN, sums, alive, book, settings, blocks)
        pay(votes, m, a, 1.0 - earned[a, t], master[SHARES, m], p[a], rewards, master)
        if is_known:
            shown(votes, heard, revealed[a, t], a, gamma, sums, alive, book, settings, blocks)


def _warm() -> None:
    """Compile every version: a round of two policies and two bases on either kind of votes."""
    is_typed, nothing = True, np.zeros((2, 1), dtype=np.bool_)
    for votes in (np.zeros((1, 2), dtype=np.int32), np.full((1, 2, 2), 0.5)):
        deltas, rewards, sums = np.zeros((1, 2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
        alive, master, book, settings = np.ones(2, dtype=np.bool_), np.ones((7, 2)), np.ones(ENTRIES), np.ones(ROOT + 1)
        blocks, scratch, p, two = np.zeros(SCRATCH), np.zeros((5, 2)), np.zeros(2), np.zeros(2)
        known = rewards, sums, alive, master, book, settings, blocks, scratch, p
        heard = sums, alive, book, settings, blocks
        numbers, row = np.zeros(1, dtype=np.int32), votes[0]
        run(
            votes, deltas, deltas, numbers, nothing, np.zeros((2, 1)), nothing, numbers, np.zeros((1, 3)), *known,
            two, numbers.copy(), nothing[0].copy(), numbers.copy(), np.zeros((1, 2)),
        )  # fmt: skip
        narrow(sums, alive, book, settings)
        pick(row, deltas[0], 0.5, 0.5, 0.5, *known)
        control(row, 0, book, settings)
        absorb(row, two, 0, SHOWN, *heard)
        answered(row, two, two, 0, 0.5, *heard, two.copy())
        pay(row, 0, 0, 0.5, 0.5, 0.5, rewards, master)
        shown(row, two, is_typed, 0, 0.5, *heard)
