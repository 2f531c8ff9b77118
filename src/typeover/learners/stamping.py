"""How much users let pass: what audits say of the suggestions, minus what users correct unasked.

    mean Delta let pass = mean Z Delta(suggestion, answer)/gamma - mean (1 - Z) xi Delta(a, answer)/(1 - gamma)
    share of wrong suggestions let pass = 1 - (wrong and typed over)/(wrong by audits)

Both are means over all rounds, each answer weighted by the probability to hear of it. nu, the largest Delta that anyone
lets pass, is a maximum and cannot be identified from means: these figures bound it from below.

Apart from audits, and without them too, amendments (corrections after an accept) are a lower bound: what they replaced
was let pass at first, and not everybody comes back. The estimates above do not hear of them: at the time they were
accepts.
"""

from __future__ import annotations

import math
from typing import Any

from typeover.core.arrays import Vector
from typeover.core.feedback import Outcome
from typeover.learners.ledger import Ledger


def let_pass(book: Vector, ledger: Ledger) -> dict[str, Any] | None:
    """Estimates with 95 % intervals (normal), widened by the share of dismissals; None before an audit was answered."""
    from typeover.kernels import shared as k

    if book[k.ANSWERED] == 0:
        return None
    n = max(1, ledger.rounds)
    dismissed = ledger.counts[Outcome.DISMISSED] / n  # nobody knows what was wanted there
    loss = float(book[k.ASKED_LOSS] - book[k.TYPED_LOSS]) / n
    error = math.sqrt(book[k.ASKED_LOSS_SQUARES] + book[k.TYPED_LOSS_SQUARES]) / n
    found: dict[str, Any] = {
        "mean_delta": loss,
        "mean_delta_interval": _widened(loss, error, dismissed),
        "wrong_share": None,
        "wrong_share_interval": None,
    }
    if (wrong := float(book[k.ASKED_WRONG])) > 0:
        typed = float(book[k.TYPED_WRONG]) / wrong
        n_seen = wrong**2 / float(book[k.ASKED_WRONG_SQUARES])  # as many equally weighted wrong suggestions
        variance = (book[k.TYPED_WRONG_SQUARES] + typed**2 * book[k.ASKED_WRONG_SQUARES]) / wrong**2
        spread = math.sqrt(variance + 1 / n_seen**2)  # seen once and never corrected is not "never corrected"
        found |= {
            "wrong_share": min(1.0, max(0.0, 1 - typed)),
            "wrong_share_interval": _widened(1 - typed, spread, dismissed * n / wrong),
        }
    return found


def amendments(ledger: Ledger, *, has_loss: bool) -> dict[str, Any]:
    """Among accepts, those that were replaced, with a 95 % interval (Wilson), and the mean Delta that they let pass."""
    n, k, z = ledger.counts[Outcome.ACCEPTED], ledger.counts["amended"], 1.96
    found: dict[str, Any] = {"amended": k, "amended_share": None, "amended_share_interval": None}
    if n > 0:
        middle, half = k + z**2 / 2, z * math.sqrt(k * (n - k) / n + z**2 / 4)
        found["amended_share"] = k / n
        found["amended_share_interval"] = [
            max(0.0, (middle - half) / (n + z**2)),
            min(1.0, (middle + half) / (n + z**2)),
        ]
    return found | {"amended_mean_delta": ledger.amended_loss / n if has_loss and n > 0 else None}


def _widened(figure: float, error: float, unknown: float) -> list[float]:
    """What was dismissed may have been wrong: the lower end takes it as corrected."""
    low, high = figure - 1.96 * error - unknown, figure + 1.96 * error
    return [min(1.0, max(0.0, float(low))), max(0.0, min(1.0, float(high)))]


def interval(figure: float, error: float) -> list[float]:
    """95 %, by the normal approximation to a sum of many estimates."""
    return [max(0.0, float(figure - 1.96 * error)), min(1.0, float(figure + 1.96 * error))]
