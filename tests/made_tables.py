"""Small tables in the form of the sets, with nothing of them in it."""

import gzip

import numpy as np

from typeover.environments import LabelledRows

KINDS = ["apple", "pear", "plum", "stone"]


def numbers(n=600, seed=0):
    """Four clouds of points on a line of kinds; the first two overlap."""
    source = np.random.default_rng(seed)
    kinds = source.integers(4, size=n)
    points = np.array([0.0, 1.0, 4.0, 9.0])[kinds, None] + source.normal(0, 0.7, size=(n, 3))
    return LabelledRows("clouds", points, [KINDS[kind] for kind in kinds])


def texts(n=300, seed=0):
    """Four labels in two groups, told by their words."""
    source = np.random.default_rng(seed)
    words = [["money", "back"], ["bill", "copy"], ["rain", "today"], ["song", "play"]]
    kinds = source.integers(4, size=n)
    rows = [" ".join([*source.permutation(words[kind]), f"number {source.integers(9)}"]) for kind in kinds]
    groups = {"refund": ["bank"], "invoice": ["bank"], "weather": ["home"], "music": ["home"]}
    return LabelledRows("texts", rows, [list(groups)[kind] for kind in kinds], groups)


def rewarded(n=400, seed=0):
    """Three jokes whose ratings are all known."""
    source = np.random.default_rng(seed)
    taste = source.normal(size=(n, 2))
    rewards = 1 / (1 + np.exp(-np.stack([taste[:, 0], taste[:, 0] + 0.3, taste[:, 1]], axis=1)))
    jokes = ["a", "b", "c"]
    return LabelledRows("jokes", taste, [jokes[i] for i in rewards.argmax(axis=1)], None, jokes, rewards)


def write(folder, name, file, text):
    """A gzipped file of a set."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / name / file, "wt", encoding="utf-8", newline="") as out:
        out.write(text)
