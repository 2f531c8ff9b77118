"""Slow and obvious twins: the same problem by definition, one step at a time, by brute force.

A twin of a compiled function carries its name.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from corral_twins import (  # noqa: F401
    absorb,
    add_and_rank,
    answered,
    control,
    leader_votes,
    narrow,
    pay,
    pick,
    run,
    shown,
)
from typeover.cli.bench.twins import (  # noqa: F401 - the yardsticks of the benchmarks are twins too
    audited,
    choose,
    consensus,
    effective,
    estimate,
    exponentials,
    leader_weights,
    play,
    review,
    rewarded,
    taught,
)


def short_exponentials(values, powers):
    """Exp in place."""
    values[:] = np.exp(np.maximum(values.astype(np.float64), -87))


def ends(d, r):
    """The least d (of those the highest r, then the first), the highest r (the least d, the first), finiteness."""
    places = range(len(d))
    left = min(places, key=lambda i: (d[i], -r[i], i))
    top = min(places, key=lambda i: (-r[i], d[i], i))
    return left, top, all(math.isfinite(x) for x in [*d, *r])


def vertices(d, r):
    """The non-decreasing upper concave envelope: from each vertex the steepest rise, and of those the longest."""
    d, r = [Fraction(float(x)) for x in d], [Fraction(float(x)) for x in r]
    at = min(range(len(d)), key=lambda i: (d[i], -r[i], i))
    found = [at]
    while rises := [i for i in range(len(d)) if d[i] > d[at] and r[i] > r[at]]:
        at = max(rises, key=lambda i: ((r[i] - r[at]) / (d[i] - d[at]), d[i], -i))
        found.append(at)
    return found


def envelope_at(d, r, corners, x):
    """The height at x of the line through these points; level beyond the last. Exact."""
    d, r = [Fraction(float(d[i])) for i in corners], [Fraction(float(r[i])) for i in corners]
    x = Fraction(float(x))
    for k in range(len(d) - 1):
        if d[k] <= x <= d[k + 1]:
            return r[k] + (r[k + 1] - r[k]) * (x - d[k]) / (d[k + 1] - d[k])
    return r[-1]


def multiplicative_weights(d, r, cut, cap, rate, iterations):
    """How often each policy was the best response, and the mean multiplier; every policy is looked at in every step."""
    counts, multiplier, total = [0] * len(d), 1 / cap, 0.0
    for _ in range(iterations):
        best = min(range(len(d)), key=lambda i: (-(r[i] - multiplier * d[i]), d[i], i))
        counts[best] += 1
        total += multiplier
        multiplier = min(cap, multiplier * math.exp(rate * (d[best] - cut)))
    return counts, total / iterations


def capped_saddle_value(r, d, cut, cap):
    """The minimum over lam in [0, cap] of max L(pi, lam), convex with bends where two policies are equally good."""
    bends = {(r[i] - r[j]) / (d[i] - d[j]) for i in range(len(d)) for j in range(len(d)) if d[i] != d[j]}
    multipliers = [0.0, cap, *(lam for lam in bends if 0 < lam < cap)]
    return min(max(r[i] - lam * (d[i] - cut) for i in range(len(d))) for lam in multipliers)


def add_matching(sums, by_context, contexts, actions, values):
    """In each round, each policy is credited with the value, as likely as it takes the action that was taken."""
    for x, a, value in zip(contexts, actions, values, strict=True):
        for i in range(len(sums)):
            sums[i] += chance(by_context, x, i, a) * value


def add_chosen(sums, by_context, contexts, values):
    """In each round, each policy is credited with the expected value of its own action."""
    for x, row in zip(contexts, values, strict=True):
        for i in range(len(sums)):
            sums[i] += sum(chance(by_context, x, i, a) * value for a, value in enumerate(row))


def chance(by_context, x, i, a):
    """With which probability policy i takes action a in context x."""
    choice = by_context[x][i]
    return choice[a] if np.ndim(choice) else float(choice == a)


def draw_rows(running, rows, uniforms):
    """The first entry of its row that lies above the uniform."""
    return [next(i for i, edge in enumerate(running[row]) if edge > u) for row, u in zip(rows, uniforms, strict=True)]


def base_weight(x, loss, t, scale, rho, rho0):
    """The p of one base at multiplier x, in decimals: try the branch of the constant hedge, else the other."""
    with localcontext(prec=60):
        above = loss + scale * rho0.sqrt() - x
        u = (above - scale * rho.sqrt()) / t.sqrt()
        if u > rho.sqrt():  # 1/p > rho after all
            u = above / (t.sqrt() + scale)
        return 1 / u**2


def hedged_ftrl(L, t, R, rho, rho0):
    """Bisection on the multiplier x of sum p = 1; each p_i rises with x."""
    t, *columns = (Decimal(float(t)), *([Decimal(float(v)) for v in column] for column in (L, R, rho, rho0)))
    bases = list(zip(*columns, strict=True))

    def multiplier(p):
        """At which x each base would have this p; from the stationarity of each, as it is written."""
        return [
            loss - (t / p).sqrt() - scale * (max(rho, 1 / p).sqrt() - rho0.sqrt()) for loss, scale, rho, rho0 in bases
        ]

    with localcontext(prec=60):
        low, high = min(multiplier(Decimal(1) / len(bases))), min(multiplier(Decimal(1)))
        while high - low > Decimal("1e-30"):
            x = (low + high) / 2
            total = sum(base_weight(x, loss, t, scale, rho, rho0) for loss, scale, rho, rho0 in bases)
            low, high = (x, high) if total < 1 else (low, x)
        return [float(base_weight(low, loss, t, scale, rho, rho0)) for loss, scale, rho, rho0 in bases]


def charge(L, rho, p, asked, loss, is_audit):
    """The losses and the largest inverse probabilities after the round, as new lists."""
    heard = [loss / p[i] if i == asked and not is_audit else 0.0 for i in range(len(p))]
    return [old + new for old, new in zip(L, heard, strict=True)], [
        max(old, 1 / q) for old, q in zip(rho, p, strict=True)
    ]
