"""Twins of `kernels.corral`: its steps in NumPy, and Algorithm 2 written out, every base updated every round."""

from __future__ import annotations

import numpy as np

from typeover.cli.bench.twins import effective, one_hot, weigh
from typeover.kernels import corral as c
from typeover.kernels import shared as k
from typeover.kernels.master import hedged_ftrl


def excess(squares, least_squares, t, n_looks, moment, bound, settings):
    """What averages over t rounds may exceed the least one by."""
    eps, kind, _, _, nu, _, form, L, root = settings
    if kind == c.ACTIVE:
        return 2 * eps + 3 * 4 * np.sqrt(2 * L / t)
    if form == c.BY_BIAS:
        return eps + 2 * nu + 4 * np.sqrt(2 * L / t)
    if form == c.BY_RATE:
        return eps + 4 * (4 * np.sqrt(max(1, nu * root) * L / t) + 4 * root * L / t)
    if form == c.BY_MOMENTS:
        return eps + 2 * (np.sqrt(2 * moment * L) + 2 * bound * L) / t
    length = L + np.log(n_looks * (n_looks + 1))
    width = (np.sqrt(2 * squares * length) + bound * length) / t
    least = (np.sqrt(2 * least_squares * length) + bound * length) / t
    return eps + width + least + (2 * nu if kind == c.BIASED else 0)


def moments(gamma, settings):
    """v^2 and b of one round."""
    _, kind, form, _, nu = settings[:5]
    if kind == c.NONE or (kind == c.ROBUST and gamma == 0):
        return 0.0, 0.0
    if kind != c.ROBUST:
        return 1.0, 1.0
    if form == c.COUNTERFACTUAL:
        return 2 + 2 * nu**2 / gamma, 1 + nu / gamma
    return 1 / gamma, 1 / gamma


def disagreement(votes, near, alive):
    """The largest Delta among what policies that are alive may choose."""
    chosen = one_hot(votes, len(near))[alive].any(axis=0)
    return near[np.ix_(chosen, chosen)].max()


def probability(t, n_asked, votes, near, alive, settings):
    """Gamma of round t."""
    eps, kind, _, gamma, _, budget, _, L, _ = settings
    if n_asked >= budget or kind in {c.NONE, c.BIASED}:
        return 0.0
    if kind == c.ROBUST:
        return min(1.0, gamma if gamma >= 0 else 0.5 * t ** (-1 / 3))
    threshold = eps + 4 * np.sqrt(2 * L / t) / 2
    return float(disagreement(votes, near, alive) >= threshold)


def drawn(p, u):
    """The first entry whose running sum exceeds u."""
    running = np.cumsum(p)
    running[np.flatnonzero(p)[-1] :] = np.inf
    return int(np.searchsorted(running, u, side="right"))


def rate(mu, spent, moment, bound, n):
    """eta_t, with eta_t (1 - mu) b <= 1."""
    eta = np.sqrt(np.log(n) / (mu**2 * spent + (1 - mu) ** 2 * moment))
    return min(eta, 1 / ((1 - mu) * bound)) if (1 - mu) * bound > 0 else eta


def leader(losses, alive, eta):
    """Q ~ exp(-eta losses) on the policies alive."""
    Q = np.where(alive, np.exp(np.clip(-eta * (losses - losses[alive].min()), -708, 0)), 0)
    return Q / Q.sum()


def add_and_rank(votes, values, sums, listed, scratch):
    """What each policy meets; the listed entry of least sum."""
    sums += one_hot(votes, values.size) @ values
    return int(np.argmin(np.where(listed, sums, np.inf))) if listed.any() else -1


def leader_votes(rewards, losses, listed, votes, blend, rate, scratch, p):
    """Q P."""
    p[:] = leader(blend * rewards + (1 - blend) * losses, listed, rate) @ one_hot(votes, p.size)


def narrow(sums, alive, book, settings):
    """At a look, the set."""
    book[k.ROUND] += 1
    if settings[c.KIND] == c.NONE:
        return
    constraint = sums[c.SECOND if settings[c.KIND] == c.ACTIVE else c.LOSSES]
    best = int(np.argmin(np.where(alive, constraint, np.inf)))
    t = book[k.WEIGHT]
    if settings[c.KIND] == c.ACTIVE:
        t = book[c.CLOSED] or book[k.ROUND] - 1
    if book[k.ROUND] < book[k.NEXT_LOOK] or t == 0:
        return
    book[k.LOOKS] += 1
    book[k.NEXT_LOOK] = max(book[k.ROUND] + 1, book[k.ROUND] * k.GROWTH)
    squares = sums[-1]
    room = excess(squares, squares[best], t, book[k.LOOKS], book[c.MOMENT], book[c.BOUND], settings)
    alive &= constraint / t <= constraint[best] / t + room


def pick(votes, near, u_base, u_action, u_audit, rewards, sums, alive, master, book, settings, blocks, scratch, p):
    """P, rho, gamma, Q and p of the base that is asked."""
    if master.shape[1] > 1:
        R, rho = master[c.SCALES], master[c.INVERSES]
        hedged_ftrl(master[c.CHARGED], book[k.ROUND], R, rho, master[c.FIRST], master[c.SHARES], scratch)
        master[c.INVERSES] = np.maximum(rho, 1 / master[c.SHARES])
    master[c.SPENT] += p.size * master[c.INVERSES]
    gamma = probability(book[k.ROUND], book[k.ASKED], votes, near, alive, settings)
    square, size = moments(effective(gamma, book), settings)
    book[c.MOMENT] += square
    book[c.BOUND] = max(book[c.BOUND], size)
    is_audit = u_audit < gamma
    book[k.ASKED] += is_audit
    if is_audit and book[k.ASKED] >= settings[c.BUDGET]:
        book[c.CLOSED], book[k.NEXT_LOOK] = book[k.ROUND], book[k.ROUND] + 1
    m = drawn(master[c.SHARES], u_base)
    mu = master[c.BLENDS, m]
    eta = rate(mu, master[c.SPENT, m], book[c.MOMENT], book[c.BOUND], alive.size)
    leader_votes(rewards[m], sums[c.LOSSES], alive, votes, mu, eta, blocks, p)
    return m, drawn(p, u_action), is_audit, gamma


def anchor_action(votes, book):
    """The likeliest candidate of the anchor."""
    vote = votes[int(book[k.ANCHOR])]
    return int(vote if votes.ndim == 1 else np.argmax(vote))


def control(votes, suggestion, book, settings):
    """The candidate whose distances are h."""
    if settings[c.KIND] == c.ACTIVE:
        return anchor_action(votes, book)
    if settings[c.KIND] != c.ROBUST or settings[c.CONTROL] == c.COUNTERFACTUAL:
        return -1
    return anchor_action(votes, book) if settings[c.CONTROL] == c.ANCHORED else suggestion


def absorb(votes, values, suggestion, is_audit, sums, alive, book, settings, blocks):
    """S, and what the sets rest on, += Deltabar; the anchor."""
    is_active = settings[c.KIND] == c.ACTIVE
    least = add_and_rank(votes, values, sums[c.SECOND if is_active and is_audit else c.LOSSES], alive, blocks)
    if is_audit or not is_active:
        book[k.ANCHOR] = least
    if is_active:
        return
    if settings[c.RADIUS] == c.BY_SQUARES:
        sums[c.SECOND] += (one_hot(votes, values.size) @ values) ** 2
    book[k.WEIGHT] += 1
    book[k.PLAYED] += values[suggestion]
    book[k.PLAYED_SQUARES] += values[suggestion] ** 2


def answered(votes, h, deltas, suggestion, gamma, sums, alive, book, settings, blocks, bar):
    """Deltabar = h + (Delta - h)/gamma."""
    book[k.ANSWERED] += 1
    weigh(book, k.ASKED_LOSS, deltas[suggestion], gamma)
    bar[:] = h + (deltas - h) / gamma if settings[c.KIND] == c.ROBUST else deltas
    absorb(votes, bar, suggestion, True, sums, alive, book, settings, blocks)


def pay(votes, base, action, loss, share, chance, rewards, master):
    """L_m and A_m of the base that was asked."""
    master[c.CHARGED, base] += loss / share
    rewards[base] += (votes == action if votes.ndim == 1 else votes[:, action]) * (loss / (share * chance))


def shown(votes, deltas, is_typed, suggestion, gamma, sums, alive, book, settings, blocks):
    """What the biased estimate takes at its word."""
    if is_typed and settings[c.KIND] == c.ROBUST:
        weigh(book, k.TYPED_LOSS, deltas[suggestion], 1 - gamma)
    if settings[c.KIND] == c.BIASED:
        absorb(votes, deltas, suggestion, False, sums, alive, book, settings, blocks)


def run(
    by_context,
    between,
    deltas,
    contexts,
    accepted,
    earned,
    revealed,
    entered,
    uniforms,
    blends,
    scales,
    first,
    settings,
    log=None,
):
    """Algorithm 2 with Ltilde of every base (M, n), each round; audits are always answered.

    Returns suggestions, audits, bases, (P_m, p_m(a)), policies alive and P of each round. With a `log` of (P_m, p_m(a))
    it decides from its own sums and learns with the logged probabilities.
    """
    kind, form = settings[c.KIND], settings[c.CONTROL]
    n_bases, n_policies, K = len(blends), by_context.shape[1], between.shape[2]
    Ltilde, master_losses = np.zeros((n_bases, n_policies)), np.zeros(n_bases)
    rho, spent, P = first.copy(), np.zeros(n_bases), np.full(n_bases, 1 / n_bases)
    alive, estimates, squares = np.ones(n_policies, dtype=bool), np.zeros(n_policies), np.zeros(n_policies)
    n_asked, n_counted, frozen, next_look, n_looks, moment, bound = 0, 0, 0, k.FIRST_LOOK, 0, 0.0, 0.0
    found = []
    for t, x in enumerate(contexts, start=1):
        rows, near = one_hot(by_context[x], K), between[x]
        best = int(np.argmin(np.where(alive, estimates, np.inf)))
        n = (frozen or t - 1) if kind == c.ACTIVE else n_counted
        if t >= next_look and n > 0 and kind != c.NONE:
            n_looks, next_look = n_looks + 1, max(t + 1, t * k.GROWTH)
            room = excess(squares, squares[best], n, n_looks, moment, bound, settings)
            alive = alive & (estimates / n <= estimates[best] / n + room)
        if n_bases > 1:
            hedged_ftrl(master_losses, float(t), scales, rho, first, P, np.zeros((5, n_bases)))
            rho = np.maximum(rho, 1 / P)
        spent = spent + K * rho
        gamma = probability(t, n_asked, by_context[x], near, alive, settings)
        square, size = moments(gamma, settings)
        moment, bound = moment + square, max(bound, size)
        Z = uniforms[t - 1, 2] < gamma
        n_asked += Z
        if Z and n_asked >= settings[c.BUDGET]:
            frozen, next_look = t, t + 1
        m = drawn(P, uniforms[t - 1, 0])
        p = leader(Ltilde[m], alive, rate(blends[m], spent[m], moment, bound, n_policies)) @ rows
        a = drawn(p, uniforms[t - 1, 1])
        found.append((a, Z, m, (P[m], p[a]), alive.copy(), P.copy()))
        share, chance = (P[m], p[a]) if log is None else log[t - 1]

        truth, is_known = deltas[x, entered[t - 1]], accepted[a, t - 1] or revealed[a, t - 1]
        hat = truth if revealed[a, t - 1] else near[a]  # Deltahat
        anchor = near[anchor_action_of(by_context[x], best)]
        bar = np.zeros(K)
        if kind == c.BIASED and is_known:
            bar, n_counted = hat, n_counted + 1
        elif kind == c.ROBUST and gamma > 0 and (is_known or form != c.COUNTERFACTUAL):
            h = {c.ANCHORED: anchor, c.AS_PLAYED: near[a], c.COUNTERFACTUAL: hat}[form]
            bar, n_counted = h + Z * (truth - h) / gamma, n_counted + 1
        elif kind == c.ACTIVE and not Z:
            bar = anchor
        rested = Z * truth if kind == c.ACTIVE else bar
        estimates, squares = estimates + rows @ rested, squares + (rows @ rested) ** 2
        loss = (1 - Z) * (1 - earned[a, t - 1]) / share
        heard = np.outer(blends * (np.arange(n_bases) == m), np.arange(K) == a) * loss / chance
        Ltilde += (heard + np.outer(1 - blends, bar)) @ rows.T
        master_losses[m] += loss
    return [np.array(column) for column in zip(*found, strict=True)]


def anchor_action_of(votes, best):
    """What policy `best` would show."""
    return int(votes[best] if votes.ndim == 1 else np.argmax(votes[best]))
