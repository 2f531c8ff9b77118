"""The obvious way to write what the kernels compile: NumPy, one statement per line of an equation.

Yardsticks of `typeover bench`, and what the tests hold the kernels to. Arguments are those of `kernels.shared`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from typeover.core.arrays import Vector
from typeover.kernels import shared as k


def exponentials(values: Vector, powers: Vector) -> None:
    """Exp in place."""
    values[:] = np.exp(np.maximum(values, -708))


def leader_weights(
    rewards: Vector, losses: Vector, listed: Any, blend: float, rate: float, weights: Vector, powers: Vector
) -> float:  # fmt: skip
    """Q ~ exp(-rate (blend rewards + (1 - blend) losses)) on the listed policies."""
    blended = blend * rewards + (1 - blend) * losses
    weights[:] = np.where(listed, np.exp(np.maximum(-rate * (blended - blended[listed].min()), -708)), 0.0)
    return float(weights.sum())


def one_hot(votes: Any, n_actions: int) -> Vector:
    """P_t: probabilities (n, K) of either kind of votes."""
    rows: Vector = np.eye(n_actions)[votes] if votes.ndim == 1 else votes
    return rows


def mixtures(sums: Vector, flags: Any, master: Vector, book: Vector, settings: Vector) -> Vector:
    """Q_m of every blend, shape (M, n)."""
    t, support, n = book[k.ROUND], max(1, book[k.SUPPORT] / book[k.ROUND]), sums.shape[1]
    mu = master[k.BLENDS][:, None]
    rate = settings[k.BASE_RATE] * np.sqrt(np.log(max(2, n)) / ((mu**2 * support + (1 - mu) ** 2) * t))
    blended = mu * sums[k.REWARDS] + (1 - mu) * sums[k.LOSSES]
    least = blended[:, flags[k.LISTED]].min(axis=1, keepdims=True)
    weights = np.exp(np.maximum(np.minimum(-rate * (blended - least), 0), -708)) * flags[k.LISTED]
    shares: Vector = weights / weights.sum(axis=1, keepdims=True)
    return shares


def radius(squares: Vector, log: float, span: float, weight: float) -> Vector:
    """(sqrt(2 V l) + b l)/W."""
    wide: Vector = (np.sqrt(2 * squares * log) + span * log) / weight
    return wide


def review(
    sums: Vector, flags: Any, master: Vector, book: Vector, settings: Vector, weights: Vector, powers: Vector,
    played: Vector,
) -> None:  # fmt: skip
    """Elimination, shortlist and need."""
    t, weight, n = book[k.ROUND], book[k.WEIGHT], sums.shape[1]
    is_look = t >= book[k.NEXT_LOOK]
    if weight == 0 or not (is_look or t % k.EVERY == 0 or (book[k.IS_DUE] and t < k.EAGER)):
        return
    book[k.IS_DUE] = 0
    means, eps = sums[k.CONSTRAINT] / weight, settings[k.TOLERANCE]
    best = int(np.argmin(np.where(flags[k.ALIVE], sums[k.CONSTRAINT], np.inf)))
    full = max(0.5 * t ** (-1 / 3), 2 * t**-0.5)
    span = 2.0 if settings[k.AUDITS] == k.NO_AUDITS else 1 + 1 / min(1.0, full)
    if is_look:
        book[k.LOOKS] += 1
        book[k.NEXT_LOOK] = max(t + 1, t * k.GROWTH)
        log = np.log(2 * n * book[k.LOOKS] * (book[k.LOOKS] + 1) * k.DOUBLINGS / settings[k.FAILURE])
        wide = radius(sums[k.SQUARES], log, span, weight)
        flags[k.ALIVE] &= means <= means[best] + eps + wide[best] + wide
    errors = np.sqrt(sums[k.SQUARES]) / weight
    doubt = np.minimum(settings[k.STRICTNESS] * (errors + errors[best]), k.SLIGHT * eps)
    flags[k.LISTED] = flags[k.ALIVE] & (means <= means[best] + eps + doubt)
    if settings[k.AUDITS] != k.BY_NEED or t < k.EARLY:
        return
    wide = radius(sums[k.SQUARES], k.CAUTION, span, weight)
    lowest = (means - wide)[flags[k.ALIVE]].min()
    shares = np.where(master[k.SHARES] >= k.NEGLIGIBLE, master[k.SHARES], 0)
    total = shares @ mixtures(sums, flags, master, book, settings)
    book[k.NEED] = min(1.0, total[means + wide > lowest + eps].sum() / total.sum())


def choose(
    votes: Any, u_action: float, u_audit: float, sums: Vector, flags: Any, master: Vector, book: Vector,
    settings: Vector, weights: Vector, powers: Vector, q: Vector, p: Vector,
) -> tuple[int, bool, float, float]:  # fmt: skip
    """P, q, p, the suggestion and the audit."""
    t, n_blends = book[k.ROUND], master.shape[1]
    rate = settings[k.MASTER_RATE] * np.sqrt(np.log(max(2, n_blends)) / max(1, book[k.SUPPORT]))
    shares = np.exp(-rate * (master[k.CHARGED] - master[k.CHARGED].min()))
    kept = min(0.5, t ** (-1 / 3)) if settings[k.RESERVE] else 0.0
    master[k.SHARES] = (1 - kept) * shares / shares.sum() + kept * (np.arange(n_blends) == n_blends - 1)
    heard = master[k.SHARES] >= k.NEGLIGIBLE
    q[:] = heard[:, None] * (mixtures(sums, flags, master, book, settings) @ one_hot(votes, p.size))
    p[:] = (master[k.SHARES] * heard) @ q
    p /= p.sum()
    book[k.SUPPORT] += (p > 0).sum()
    running = np.cumsum(p)
    running[running >= running[-1]] = np.inf
    suggestion = int(np.searchsorted(running, u_action, side="right"))
    full = max(0.5 * t ** (-1 / 3), 2 * t**-0.5)
    wanted = max(k.FLOOR * t ** (-1 / 3), book[k.NEED] * full) if settings[k.AUDITS] == k.BY_NEED else full
    may_ask = settings[k.AUDITS] != k.NO_AUDITS and book[k.ASKED] < settings[k.BUDGET]
    gamma = min(1.0, wanted) if may_ask else 0.0
    is_audit = u_audit < gamma
    book[k.ASKED] += is_audit
    book[k.IS_DUE] = max(book[k.IS_DUE], float(is_audit))
    return suggestion, is_audit, gamma, min(1.0, wanted / full)


def effective(gamma: float, book: Vector) -> float:
    """Gamma among the rounds that stay."""
    answered = (book[k.ANSWERED] + 1) / (book[k.ANSWERED] + book[k.REFUSED] + 1)
    return float(gamma * answered / (1 - gamma + gamma * answered))


def consensus(votes: Any, flags: Any, counts: Vector) -> int:
    """The candidate that most of the shortlist choose."""
    return int(np.argmax(one_hot(votes, counts.size)[flags[k.LISTED]].sum(axis=0)))


def estimate(votes: Any, values: Vector, suggestion: int, lam: float, sums: Vector, book: Vector) -> None:
    """W += lam, D += lam Deltabar, V += (lam Deltabar)^2."""
    own = lam * (one_hot(votes, values.size) @ values)
    book[k.WEIGHT] += lam
    book[k.PLAYED] += lam * values[suggestion]
    book[k.PLAYED_SQUARES] += (lam * values[suggestion]) ** 2
    sums[k.CONSTRAINT] += own
    sums[k.SQUARES] += own**2


def weigh(book: Vector, first: int, loss: float, probability: float) -> None:
    """What was heard of a suggestion, over the probability to hear of it."""
    wrong = float(loss > 0)
    heard = np.array([loss, loss**2 / probability, wrong, wrong / probability])
    book[first : first + 4] += heard / probability


def audited(
    votes: Any, suggestion: int, control: Vector, deltas: Vector, gamma: float, lam: float, sums: Vector, book: Vector,
    bar: Vector,
) -> None:  # fmt: skip
    """Deltabar = h + (Delta - h)/gamma."""
    book[k.ANSWERED] += 1
    weigh(book, k.ASKED_LOSS, deltas[suggestion], gamma)
    bar[:] = control + (deltas - control) / gamma
    estimate(votes, bar, suggestion, lam, sums, book)
    sums[k.LOSSES] += one_hot(votes, deltas.size) @ deltas


def taught(
    votes: Any, suggestion: int, deltas: Vector, is_typed: bool, gamma: float, sums: Vector, book: Vector,
    settings: Vector,
) -> None:  # fmt: skip
    """S += Deltahat; without audits D hears it too."""
    sums[k.LOSSES] += one_hot(votes, deltas.size) @ deltas
    if is_typed:
        weigh(book, k.TYPED_LOSS, deltas[suggestion], 1 - gamma)
    if settings[k.AUDITS] == k.NO_AUDITS:
        estimate(votes, deltas, suggestion, 1.0, sums, book)


def rewarded(
    votes: Any, action: int, loss: float, probability: float, shares: Vector, sums: Vector, master: Vector
) -> None:
    """A += lhat(pi(x)), L_m += q_m(a_t) lhat."""
    estimated = loss / probability
    sums[k.REWARDS] += (votes == action if votes.ndim == 1 else votes[:, action]) * estimated
    master[k.CHARGED] += shares * estimated


def play(
    by_context: Any, between: Vector, deltas: Vector, contexts: Any, accepted: Any, rewards: Vector, revealed: Any,
    entered: Any, uniforms: Vector, sums: Vector, flags: Any, master: Vector, book: Vector, settings: Vector,
    weights: Vector, powers: Vector, played: Vector, q: Vector, p: Vector, bar: Vector, suggestions: Any, audits: Any,
) -> None:  # fmt: skip
    """Round by round."""
    for t, x in enumerate(contexts):
        votes, known = by_context[x], (sums, flags, master, book, settings, weights, powers)
        book[k.ROUND] += 1
        review(*known, played)
        a, is_audit, gamma, lam = choose(votes, uniforms[t, 0], uniforms[t, 1], *known, q, p)
        suggestions[t], audits[t] = a, is_audit
        control = between[x, consensus(votes, flags, bar)]
        if is_audit:
            audited(votes, a, control, deltas[x, entered[t]], effective(gamma, book), lam, sums, book, bar)
            continue
        if gamma > 0:
            estimate(votes, control, a, lam, sums, book)
        rewarded(votes, a, 1 - rewards[a, t], p[a], q[:, a], sums, master)
        if accepted[a, t] or revealed[a, t]:
            heard = deltas[x, entered[t]] if revealed[a, t] else between[x, a]
            taught(votes, a, heard, revealed[a, t], gamma, sums, book, settings)
