"""Contracts as test classes: inherit one, give its fixtures, and pytest holds your own part to what ours promise.

    class TestMine(LearnerContract):
        @pytest.fixture
        def make(self): return lambda seed: Mine(seed=seed)
        ...

pytest itself is not imported here; `pytest.register_assert_rewrite("typeover.testing")` in your conftest.py, before the
first import, lets it explain failures in full.
"""

from __future__ import annotations

from typeover.testing.environments import EnvironmentContract
from typeover.testing.learners import LearnerContract
from typeover.testing.losses import LossContract
from typeover.testing.policies import PoliciesContract

__all__ = ["EnvironmentContract", "LearnerContract", "LossContract", "PoliciesContract"]
