"""What is known before a stream begins: features, candidates, distances and policies, all from the warm-up rows alone.

Rows are split by a hash of what they hold, so that equal rows fall on the same side and the split is the same for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeover.core.arrays import Flags, Vector
from typeover.environments.tables import LabelledRows
from typeover.errors import missing
from typeover.losses import Table, Tree
from typeover.policies import Classifier, TablePolicies

SHARE = 0.2
"""Of the rows, for the warm-up."""
GREEDS = (0.0, 1.0, 2.0, 5.0, 12.0)
"""How much a policy minds what an answer pays beside how likely it is."""
_MOST = 5000
"""Rows that one model sees."""
_DIMENSIONS = 100
"""Of a text's features."""


class WarmUp(NamedTuple):
    """The warm-up rows whose label is a candidate."""

    features: Vector
    labels: NDArray[np.str_]
    candidates: list[str]


def is_warm_up(inputs: Sequence[str] | Vector) -> Flags:
    """Which rows the hash sends to the warm-up: about a fifth."""
    held = (row.encode() if isinstance(row, str) else np.asarray(row, dtype="<f8").tobytes() for row in inputs)
    numbers = [int.from_bytes(hashlib.sha256(row).digest()[:8], "big") for row in held]
    return np.array(numbers, dtype=np.float64) < SHARE * 2.0**64


def features(inputs: Sequence[str] | Vector, warm: Flags, seed: int) -> Vector:
    """Texts: words and word pairs, weighted and reduced; numbers: scaled. Fitted to the warm-up, made for all rows."""
    decomposition, preprocessing, text = _sklearn("decomposition", "preprocessing", "feature_extraction.text")
    if isinstance(inputs, np.ndarray):
        scaled: Vector = preprocessing.StandardScaler().fit(inputs[warm]).transform(inputs)
        return scaled
    words = text.TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    known = words.fit_transform([row for row, is_warm in zip(inputs, warm, strict=True) if is_warm])
    width, chance = min(_DIMENSIONS, *(n - 1 for n in known.shape)), seed % 2**32  # as far as its own seeds go
    reduced = decomposition.TruncatedSVD(width, random_state=chance)
    directions = preprocessing.normalize(reduced.fit(known).transform(words.transform(inputs)))
    rows: Vector = directions * np.sqrt(directions.shape[1])  # entries of order 1, as scaled numbers have
    return rows


def default_loss(rows: LabelledRows, warm: Flags, known: WarmUp) -> Table | Tree:
    """The taxonomy's, if there is one; sqrt((1 - correlation)/2) of known rewards; else distances of class means."""
    if rows.taxonomy is not None:
        return Tree(rows.taxonomy)
    if rows.rewards is not None:
        paid = rows.rewards[warm] - rows.rewards[warm].mean(axis=0)
        points = paid.T / np.linalg.norm(paid, axis=0)[:, None] / 2  # |u - v|/2 = sqrt((1 - u.v)/2)
        scale = 1.0
    else:
        points = np.array([known.features[known.labels == label].mean(axis=0) for label in known.candidates])
        scale = 0.0
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return Table(apart / max(scale, apart.max()), items=known.candidates)


def policies(
    known: WarmUp, stream_features: Vector, values: Vector, n_models: int, source: np.random.Generator
) -> TablePolicies:
    """argmax_a log P(a | x) + greed value(a), by models of parts of the warm-up; and two that ignore the row."""
    names, votes = [], []
    for name, columns, model in _models(known, n_models, source):
        shares = Classifier(model, randomised=True)(stream_features[:, columns], known.candidates)
        likely = np.log(np.maximum(shares, 1e-6))
        for greed in GREEDS:
            names.append(f"{name}, greed {greed:g}")
            votes.append((likely + greed * values).argmax(axis=1))
    counts = [(known.labels == candidate).sum() for candidate in known.candidates]
    for name, place in (("always the commonest", np.argmax(counts)), ("always what pays most", np.argmax(values))):
        names.append(name)
        votes.append(np.full(len(stream_features), place))
    return TablePolicies(np.stack(votes, axis=1), names=names)


def _models(known: WarmUp, n_models: int, source: np.random.Generator) -> Iterator[tuple[str, NDArray[np.intp], Any]]:
    """Classifiers of three kinds in turn; after the first three, each sees some of the rows and of the features."""
    bayes, linear, neighbours = _sklearn("naive_bayes", "linear_model", "neighbors")
    n, d = known.features.shape
    one_each = np.unique(known.labels, return_index=True)[1]
    for i in range(n_models):
        share = source.uniform((0.1, 0.3), 1.0) if i >= 3 else np.ones(2)
        rows = np.union1d(one_each, source.permutation(n)[: round(share[0] * min(n, _MOST))])
        columns = source.permutation(d)[: max(1, round(share[1] * d))]
        kinds = (
            ("linear", linear.LogisticRegression(C=0.1, max_iter=1000, tol=0.01)),
            ("neighbours", neighbours.KNeighborsClassifier(min(10, len(rows)), weights="distance")),
            ("bayes", bayes.GaussianNB(var_smoothing=0.1)),
        )
        kind, model = kinds[i % 3]
        yield f"{kind} {i}", columns, model.fit(known.features[rows][:, columns], known.labels[rows])


def _sklearn(*modules: str) -> list[Any]:
    """Parts of scikit-learn."""
    import importlib

    try:
        return [importlib.import_module(f"sklearn.{module}") for module in modules]
    except ModuleNotFoundError:
        raise missing("scikit-learn", extra="bench", purpose="a stream from a labelled table") from None
