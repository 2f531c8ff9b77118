"""Next word (the paper's first example): typists who have typed one word and the first letter of the next.

Real counts of 242,342 English word pairs (symspellpy). Context = (word before, first letter); candidates = the
commonest continuations; the answer is drawn by the counts, among the candidates or not. Accepting saves the letters
that are left: reward = letters saved over keys pressed (one: Tab), capped and scaled to [0, 1]. Delta = a distance of
words.
"""

from __future__ import annotations

import importlib.resources
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from typeover.core.arrays import Action, Actions
from typeover.core.inputs import whole
from typeover.core.protocols import SurrogateLoss
from typeover.environments.tabular import TabularWorld
from typeover.environments.users import Exact, User
from typeover.errors import InvalidInputError, missing
from typeover.losses import EditDistance
from typeover.policies import PolicySet

PAIRS = "frequency_bigramdictionary_en_243_342.txt"
"""The package's own name for its word pairs."""
CAP = 8
"""Letters saved beyond this many earn no more."""

Counts = dict[tuple[str, str], list[tuple[str, int]]]
"""Continuations and their counts, commonest first, by (word before, first letter)."""


class Typing(NamedTuple):
    """A world of typists, and the rankings that a keyboard might use."""

    world: TabularWorld
    policies: PolicySet
    tolerance: float = 0.05


def next_word(
    *,
    n_contexts: int = 300,
    n_candidates: int = 6,
    n_answers: int = 12,
    user: User | None = None,
    loss: SurrogateLoss | None = None,
    n_policies: int = 60,
) -> Typing:
    """The commonest contexts, each with its commonest continuations."""
    for name, value, low in (
        ("n_contexts", n_contexts, 1),
        ("n_candidates", n_candidates, 2),
        ("n_answers", n_answers, 2),
    ):
        whole(name, value, low=low, meaning="the size of the world")
    counts = _commonest(_pairs(), n_contexts, max(n_candidates, n_answers))
    contexts = list(counts)
    answers = [[word for word, _ in counts[context][:n_answers]] for context in contexts]
    actions = [[word for word, _ in counts[context][:n_candidates]] for context in contexts]
    times = np.array([[count for _, count in counts[context][:n_answers]] for context in contexts], dtype=np.float64)
    distance = EditDistance() if loss is None else loss
    rows = zip(contexts, actions, answers, strict=True)
    losses = np.array([[distance.deltas(shown, j, x) for j in wanted] for x, shown, wanted in rows]).swapaxes(1, 2)
    saved = np.array([[letters_saved(word) for word in shown] for shown in actions])
    world = TabularWorld(
        contexts=contexts,
        actions=actions,
        answers=answers,
        answer_probabilities=times / times.sum(axis=1, keepdims=True),
        weights=times.sum(axis=1) / times.sum(),
        losses=losses,
        rewards=saved[:, :, None],
        user=Exact() if user is None else user,
        is_coin=False,
    )
    return Typing(world, rankings(counts, n_policies))


def letters_saved(word: Action) -> float:
    """Time to completion saved by one Tab after the first letter, in [0, 1]."""
    return min(len(str(word)) - 1, CAP) / CAP


def rankings(counts: Counts, n_policies: int) -> PolicySet:
    """Rank by log(count) + w letters, for w from a dislike of long words to a craving for them."""
    frequency = {(context, word): count for context, words in counts.items() for word, count in words}
    weights = np.linspace(-1.0, 2.0, whole("n_policies", n_policies, meaning="how many rankings"))
    return PolicySet(
        [_Ranking(frequency, float(w)) for w in weights], names=[f"log count {w:+.2f} per letter" for w in weights]
    )


class _Ranking:
    """The candidate of highest log(count) + w letters."""

    def __init__(self, frequency: dict[tuple[tuple[str, str], str], int], letters: float) -> None:
        self._frequency, self._letters = frequency, letters

    def __call__(self, contexts: Any, actions: Actions, /) -> list[int]:
        return [int(np.argmax([self._score(context, action) for action in actions])) for context in contexts]

    def _score(self, context: Any, action: Any) -> float:
        count = self._frequency.get((context, action), 0)
        return float(np.log1p(count) + self._letters * len(str(action)))


def _pairs() -> Counts:
    """Every word pair of the package, by word before and first letter."""
    try:
        source = importlib.resources.files("symspellpy").joinpath(PAIRS)
    except ModuleNotFoundError:
        raise missing("symspellpy", extra="text", purpose="the next-word world") from None
    found: Counts = defaultdict(list)
    for line in source.read_text(encoding="utf-8-sig").splitlines():
        before, word, count = line.split()
        if len(word) > 1:  # the first letter alone is already typed
            found[before, word[0]].append((word, int(count)))
    return {context: sorted(words, key=lambda pair: (-pair[1], pair[0])) for context, words in found.items()}


def _commonest(counts: Counts, n_contexts: int, n_words: int) -> Counts:
    """The contexts typed most often that have enough continuations."""
    rich = [context for context, words in counts.items() if len(words) >= n_words]
    if len(rich) < n_contexts:
        raise InvalidInputError(
            f"n_contexts is {n_contexts}; only {len(rich)} contexts have {n_words} continuations: ask for fewer"
        )
    rich.sort(key=lambda context: (-sum(count for _, count in counts[context][:n_words]), context))
    return {context: counts[context] for context in rich[:n_contexts]}
