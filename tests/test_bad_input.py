"""What the public API refuses, as one table: each refusal is one clear sentence.

It names the setting, shows the value received, says what is allowed and, where there is one, the next step.
"""

from __future__ import annotations

import numpy as np
import pytest

import tiny
from typeover.core.feedback import Feedback
from typeover.core.state import State
from typeover.environments import Exact, TabularWorld, Tolerant, aligned_world, w1
from typeover.errors import InvalidInputError, NotMetricError, StateError, TypeoverError
from typeover.learners import EFBO, AnytimeEFBO, CorrectionOnly, Fixed, RewardOnly, Uniform
from typeover.losses import Function, Table, Tree, ZeroOne
from typeover.oracles import exact, mwu
from typeover.policies import Classifier, Constant, Lookup, Mixture, PolicySet, TablePolicies
from typeover.rng import stream

NAMES = tiny.NAMES
EACH = PolicySet([Constant(name) for name in NAMES], names=NAMES)
NAN = float("nan")


def efbo(**changes):
    return EFBO(**{"policies": EACH, "loss": ZeroOne(), "tolerance": 0.1, "horizon": 100, "seed": 1} | changes)


def rewards(**changes):
    return RewardOnly(**{"policies": EACH, "horizon": 100, "seed": 1} | changes)


def corrections(**changes):
    return CorrectionOnly(**{"policies": EACH, "loss": ZeroOne(), "seed": 1} | changes)


def anytime(**changes):
    return AnytimeEFBO(**{"policies": EACH, "loss": ZeroOne(), "tolerance": 0.1, "seed": 1} | changes)


def fixed(**changes):
    return Fixed(policies=EACH, seed=1, **changes)


def uniform(**changes):
    return Uniform(**{"policies": EACH, "seed": 1} | changes)


def world(**changes):
    return TabularWorld(
        **{
            "contexts": [0, 1], "actions": ["a", "b"], "answers": ["a", "b"], "answer_probabilities": np.eye(2),
            "losses": [[[0, 1], [1, 0]]] * 2, "rewards": [[1, 1], [1, 1]], "user": Exact(),
        }
        | changes
    )  # fmt: skip


def policies(*members, **settings):
    return PolicySet(members, **settings).votes([0, 1], ["a", "b"])


class Timid:
    def acceptance(self, losses, matches):
        return losses - 1


class Unfitted:
    def predict(self, contexts):
        return contexts


def decide(*arguments):
    return lambda: uniform().decide(*arguments)


ALLOWED = r"it must be a (finite )?number from 0"
BAD = {
    # Tolerances
    "negative tolerance": (lambda: efbo(tolerance=-0.1), rf"tolerance is -0\.1; {ALLOWED}.*most faithful policy"),
    "tolerance that is no number": (lambda: efbo(tolerance=NAN), rf"tolerance is nan; {ALLOWED}"),
    "tolerance in words": (lambda: efbo(tolerance="small"), rf"tolerance is 'small'; {ALLOWED}"),
    "no tolerance": (lambda: efbo(tolerance=None), rf"tolerance is None; {ALLOWED}"),
    "negative tolerance of the oracle": (lambda: exact([1], [0], -1), rf"tolerance is -1; {ALLOWED}"),
    "negative tolerance of a benchmark": (
        lambda: w1(n_policies=3).world.benchmark(w1(n_policies=3).policies, -1),
        rf"tolerance is -1; {ALLOWED}",
    ),
    # Blends
    "blend above 1": (lambda: efbo(blends=[0.5, 1.5]), r"blend is 1\.5; it must be a number from 0 to 1: 1 trusts rew"),
    "blend below 0": (lambda: efbo(blends=[-0.1]), r"blend is -0\.1; it must be a number from 0 to 1"),
    "blend that is no number": (lambda: efbo(blends=[NAN]), r"blend is nan; it must be a number from 0 to 1"),
    "no blends": (lambda: efbo(blends=[]), r"blends is empty; give at least one number in \[0, 1\], 'grid' or 'none'"),
    "unknown blends": (lambda: efbo(blends="grad"), r"blends is 'grad'; did you mean 'grid'\? Or give a list"),
    "one blend alone": (lambda: efbo(blends=0.5), r"blends is 0\.5; give a list of numbers in \[0, 1\]"),
    "no blends at all times": (lambda: anytime(blends=[]), r"blends is \(\); give a list of at least one number"),
    "blends in words": (lambda: anytime(blends="grid"), r"blends is 'grid'; give a list of at least one number"),
    "one blend at all times": (lambda: anytime(blends=0.5), r"blends is 0\.5; give a list of at least one number"),
    "blend above 1 at all times": (lambda: anytime(blends=[1.5]), r"blend is 1\.5; it must be a number from 0 to 1"),
    # Looks and audits
    "looks that do not grow at all times": (
        lambda: anytime(growth=1.0),
        r"growth is 1; it must be above 1, such as 1\.1",
    ),
    "audits by another rule": (lambda: anytime(audits="need"), r"audits is 'need'; it must be 'falling' or 0"),
    "audits by a truth": (lambda: anytime(audits=False), r"audits is False; it must be 'falling' or 0"),
    "audits by a list": (lambda: anytime(audits=[0]), r"audits is \[0\]; it must be 'falling' or 0"),
    # What is fixed
    "nothing fixed": (fixed, r"give either policy \(a place or a name\) or mixture, not both and not neither"),
    "two things fixed": (lambda: fixed(policy=0, mixture=[(0, 1)]), r"give either policy"),
    "a policy beyond the set": (lambda: fixed(policy=3), r"policy is 3; it must be a name or a place from 0 to 2"),
    "a policy before the set": (lambda: fixed(policy=-1), r"policy is -1; it must be a name or a place from 0 to 2"),
    "a truth for a policy": (lambda: fixed(policy=True), r"policy is True; it must be a name or a place"),
    "a misspelt policy": (lambda: fixed(policy="refnd"), r"policy is 'refnd'; did you mean 'refund'\?"),
    "a mixture of names alone": (lambda: fixed(mixture=[0, 1]), r"mixture is \[0, 1\]; give a Mixture, or pairs of pl"),
    "a number for a mixture": (lambda: fixed(mixture=3), r"mixture is 3; give a Mixture, or pairs of place and weight"),
    "a fixed mixture that does not sum": (lambda: fixed(mixture=[(0, 0.5)]), r"probabilities \[0\.5\] with sum 0\.5"),
    # Policies
    "no policies": (lambda: PolicySet([]), r"policies is empty; a policy set needs at least one policy"),
    "no policies in a table": (lambda: TablePolicies(np.zeros((3, 0), dtype=int)), r"table has shape \(3, 0\)"),
    "a list for a set": (lambda: efbo(policies=[]), r"policies is \[\]; it must be a set .*PolicySet\(\[\.\.\.\]\)"),
    "policies without a set": (lambda: uniform(policies=[len]), r"policies is \[<built-in .*>\]; it must be a set"),
    "policy that cannot choose": (lambda: PolicySet([3]), r"policy 3 cannot choose; give a function"),
    "two policies of one name": (lambda: policies(len, len, names="aa"), r"names has 2 entries, 1 of them different"),
    "too few names": (lambda: TablePolicies([[0, 1]], names=["a"]), r"names has 1 entries; give one per policy: 2"),
    "index beyond the candidates": (
        lambda: policies(lambda x, a: [0, 2], names=["far"]),
        r"policy 'far' chose index 2; there are 2 candidates: 0 to 1",
    ),
    "probabilities that do not sum": (
        lambda: policies(lambda x, a: [[0.5, 0.4]] * 2, names=["short"]),
        r"policy 'short' gave probabilities \[0\.5, 0\.4\] with sum 0\.9; .* sum to 1: divide them by their sum",
    ),
    "negative probabilities": (lambda: policies(lambda x, a: [[1.5, -0.5]] * 2), r"probabilities \[1\.5, -0\.5\]"),
    "probabilities that are no numbers": (lambda: policies(lambda x, a: [[NAN, 1.0]] * 2), r"probabilities \[nan, 1"),
    "policy that returns names": (
        lambda: policies(lambda x, a: ["a", "b"], names=["named"]),
        r"policy 'named' returned an array of .*; it must return 2 whole-number indices, or probabilities",
    ),
    "policy that returns too few": (lambda: policies(lambda x, a: [0]), r"returned an array of shape \(1,\)"),
    "table of probabilities that do not sum": (lambda: TablePolicies([[[0.5, 0.4]]]), r"table gave .* sum 0\.9"),
    "negative index in a table": (lambda: TablePolicies([[0, -1]]), r"must hold indices from 0"),
    "context that is no row": (lambda: tiny.tables().vote(3, NAMES), r"context \[3\] is no row .* from 0 to 2"),
    "negative context": (lambda: tiny.tables().vote(-1, NAMES), r"context \[-1\] is no row of the table"),
    "half a context": (lambda: tiny.tables().vote(0.5, NAMES), r"context \[0\.5\] is no row of the table"),
    "fewer candidates than the table": (
        lambda: TablePolicies([[2]]).vote(0, ["a"]),
        r"1 candidates were given, but the table speaks of 3",
    ),
    "name that is no candidate": (
        lambda: policies(Constant("c")),
        r"policy 'always c' names 'c', which is no candidate of this round",
    ),
    "context without an entry": (
        lambda: policies(Lookup({0: "a"})),
        r"policy 'lookup' has no entry for context 1; .* Add the entry, or give Lookup a default",
    ),
    "classifier that is not fitted": (lambda: Classifier(Unfitted()), r"classifier Unfitted is not fitted .* call fit"),
    "mixture that does not sum": (
        lambda: Mixture(EACH, support=[0, 1], weights=[0.5, 0.4]),
        r"mixture gave probabilities \[0\.5, 0\.4\] with sum 0\.9",
    ),
    "mixture of unknown policies": (lambda: Mixture(EACH, support=[3], weights=[1]), r"support is \[3\]; .* 0 to 2"),
    "mixture of nothing": (lambda: Mixture(EACH, support=[], weights=[]), r"support has shape \(0,\)"),
    # Feedback
    "reward above 1": (lambda: Feedback(reward=1.5), r"reward is 1\.5; it must be a number in \[0, 1\]; scale it"),
    "reward below 0": (lambda: Feedback(reward=-0.1), r"reward is -0\.1; it must be a number in \[0, 1\]"),
    "reward that is no number": (lambda: Feedback(reward=NAN), r"reward is nan; it must be a number in \[0, 1\]"),
    "reward in words": (lambda: Feedback(reward="high"), r"reward is 'high'; it must be a number in \[0, 1\]"),
    "reward that is a flag": (lambda: Feedback(reward=True), r"reward is True; it must be a number in \[0, 1\]"),
    "a correction with a reward": (
        lambda: Feedback(reward=0.5, correction="refund"),
        r"correction 'refund' came with reward 0\.5; .* earns 0: send the correction alone",
    ),
    "a correction that was accepted": (
        lambda: Feedback(accepted=True, correction="refund"),
        r"correction 'refund' came with accepted=True; .* send the correction alone",
    ),
    "a rejection with a reward": (
        lambda: Feedback(accepted=False, reward=0.5),
        r"accepted=False came with reward 0\.5; a rejected suggestion earns 0: leave accepted out",
    ),
    "acceptance in words": (lambda: Feedback(accepted="yes"), r"accepted is 'yes'; it must be True, False, None"),
    "acceptance that is a list": (lambda: Feedback(accepted=[]), r"accepted is \[\]; it must be True, False, None"),
    # Actions
    "no actions": (decide("x", []), r"actions is empty; at least one is needed"),
    "actions as one word": (decide("x", "refund"), r"actions is 'refund'; it must be a list of names"),
    "actions that are no list": (decide("x", 3), r"actions is 3; it must be a list of names"),
    "an action twice": (decide("x", ["a", "b", "a"]), r"'a' stands twice in actions; each may stand once"),
    "an action that is no name": (decide("x", ["a", ["b"]]), r"\['b'\] in actions cannot be a name; use strings or"),
    "unknown revealing action": (
        lambda: efbo(revealing="refnd", block=1).play(tiny.world().session(seed=1, policies=EACH, tolerance=0).tape(5)),
        r"revealing action 'refnd' is no candidate of this round; did you mean 'refund'\?",
    ),
    "action unknown to a loss": (
        lambda: Table([[0, 1], [1, 0]], items=["a", "b"]).deltas(["c"], "a"),
        r"candidate 'c' is none of the 2 items",
    ),
    # Horizons and blocks
    "horizon below 4": (lambda: efbo(horizon=3), r"horizon is 3; it must be a whole number from 4"),
    "horizon below 4 for rewards": (lambda: rewards(horizon=3), r"horizon is 3; it must be a whole number from 4"),
    "half a horizon": (lambda: efbo(horizon=99.5), r"horizon is 99\.5; it must be a whole number from 4"),
    "horizon too short for the blocks": (
        lambda: efbo(block=30),
        r"horizon is 100, too short for 4 blocks of 30 rounds; it must be at least 120, or block at most 25",
    ),
    "horizon too short for two blocks": (lambda: efbo(block=51, blends="none"), r"too short for 2 blocks of 51 rounds"),
    "horizon too short for one block": (lambda: rewards(block=101), r"horizon is 100, too short for a block"),
    "block of nothing": (lambda: efbo(block=0), r"block is 0; it must be a whole number from 1"),
    "unknown schedule": (
        lambda: efbo(block="minmax"),
        r"block is 'minmax'; did you mean 'minimax'\? Or give a whole number",
    ),
    "schedule that lacks its numbers": (
        lambda: efbo(block="aligned"),
        r'schedule "aligned" needs n_actions; pass what is missing, or use "minimax"',
    ),
    "no candidates to plan for": (lambda: efbo(n_actions=0), r"n_actions is 0; it must be a whole number from 1"),
    "first look at nothing": (lambda: corrections(first=0), r"first is 0; it must be a whole number from 1"),
    "looks that do not grow": (lambda: corrections(growth=1.0), r"growth is 1; it must be above 1, such as 1\.1"),
    "looks that shrink": (lambda: corrections(growth=0.5), r"growth is 0\.5; it must be a finite number from 1"),
    # Saddle points
    "unknown saddle": (lambda: efbo(saddle="exect"), r"saddle is 'exect'; did you mean 'exact'\?"),
    "unknown step": (lambda: efbo(step="tuned!"), r"step is 'tuned!'; did you mean 'tuned'\?"),
    "cap of 1": (lambda: efbo(saddle="mwu", cap=1.0), r"cap is 1\.0; the multiplier's upper end B must exceed 1 here"),
    "cap below 1": (lambda: efbo(cap=0.0), r"cap is 0\.0; the multiplier's upper end B must exceed 0 here"),
    "no iterations": (lambda: efbo(iterations=0), r"iterations is 0; it must be a whole number from 1"),
    "oracle with a cap of nothing": (lambda: exact([1], [0], 0, cap=0), r"cap is 0; .* leave it out for no cap"),
    "oracle with unequal lists": (lambda: exact([1, 2], [0], 0), r"rewards has shape \(2,\) and losses \(1,\)"),
    "oracle without numbers": (lambda: exact([1, NAN], [0, 0], 0), r"rewards\[1\] is nan; every policy needs a finite"),
    "weights with a cap of 1": (lambda: mwu([1], [0], 0, cap=1, iterations=3), r"cap is 1; .* must exceed 1"),
    # Seeds
    "no seed": (lambda: uniform(seed=None), r"seed and rng are both missing; pass seed=7"),
    "seed and generator": (lambda: uniform(rng=np.random.default_rng(1)), r"seed=1 and rng were both given; pass one"),
    "negative seed": (lambda: uniform(seed=-1), r"seed is -1; it must be a whole number from 0"),
    "seed in words": (lambda: stream("seven"), r"seed is 'seven'; it must be a whole number from 0"),
    "generator of another kind": (lambda: uniform(seed=None, rng=7), r"rng is int; it must be a numpy\.random\.Gener"),
    # Losses
    "table that is no metric where one is promised": (
        lambda: Table([[0, 1, 0.2], [1, 0, 0.2], [0.2, 0.2, 0]]),
        r"Delta\(0, 1\) is 1, more than .* triangle inequality; .*metric=False",
    ),
    "function that is no metric where one is promised": (
        lambda: Function(lambda a, b, _: float(a > b), metric=True, items=[1, 2]),
        r"Delta\(1, 2\) is 0, but Delta\(2, 1\) is 1; a metric is symmetric",
    ),
    "function outside the range": (
        lambda: Function(lambda *_: 2.0).deltas(["a"], "b"),
        r"f\('a', 'b', context\) is 2\.0; a surrogate loss must return a number in \[0, 1\]",
    ),
    "taxonomy that is none": (lambda: Tree([1]), r"taxonomy is a list; it must be \{leaf: path\}"),
    # Worlds
    "no contexts": (lambda: world(contexts=[]), r"contexts is empty; a world needs at least one context"),
    "context twice": (lambda: world(contexts=["x", "x"]).loss, r"'x' stands twice in contexts"),
    "candidate twice": (lambda: world(actions=["a", "a"]), r"'a' stands twice in actions"),
    "answer twice": (lambda: world(answers=["a", "a"]), r"'a' stands twice in answers"),
    "candidates that are no list": (lambda: world(actions=2), r"actions is 2; it must be a list of names"),
    "lists of unequal length": (
        lambda: world(actions=[["a"], ["a", "b"]]),
        r"actions holds 2 lists of \[1, 2\] entries for 2 contexts; give one list for all contexts, or one per",
    ),
    "too few lists": (lambda: world(answers=[["a", "b"]]), r"answers holds 1 lists of \[2\] entries for 2 contexts"),
    "answers that do not sum": (
        lambda: world(answer_probabilities=[[0.5, 0.4]] * 2),
        r"answer_probabilities has entries from 0\.4 and sums from 0\.9 to 0\.9; .* sum to 1",
    ),
    "answers of probability NaN": (
        lambda: world(answer_probabilities=[[NAN, 1]] * 2),
        r"answer_probabilities has entr",
    ),
    "answers in words": (
        lambda: world(answer_probabilities=[["x"]]),
        r"answer_probabilities is \[\['x'\]\]; it must be",
    ),
    "weights that do not sum": (lambda: world(weights=[0.5, 0.6]), r"weights has entries .* sums from 1\.1 to 1\.1"),
    "negative weights": (lambda: world(weights=[1.5, -0.5]), r"weights has entries from -0\.5"),
    "too many weights": (lambda: world(weights=[1, 0, 0]), r"weights has shape \(3,\); it must be \(2,\)"),
    "losses above 1": (
        lambda: world(losses=[[[0, 1.5], [1, 0]]] * 2),
        r"losses contains 1\.5; every entry must lie in \[0",
    ),
    "rewards above 1": (lambda: world(rewards=[[0, 1.5], [1, 0]]), r"rewards contains 1\.5; every entry must lie in"),
    "rewards that are no numbers": (lambda: world(rewards=[[0, NAN], [1, 0]]), r"rewards contains nan"),
    "losses of another shape": (
        lambda: world(losses=np.zeros((2, 3))),
        r"losses has shape \(2, 3, 1\); it must fit \(contexts, candidates, answers\) = \(2, 2, 2\)",
    ),
    "users of no probability": (lambda: world(user=Timid()), r"the user's acceptance contains -1"),
    "bias bound above 1": (lambda: Tolerant(1.5), r"bias_bound is 1\.5; it must be a number from 0 to 1"),
    "alignment above 1": (lambda: w1(alignment=2), r"alignment is 2; it must be a number from 0 to 1"),
    "world of one candidate": (
        lambda: aligned_world(alignment=1, n_actions=1, seed=1),
        r"n_actions is 1; it must be a whole number from 2",
    ),
    "world without policies": (lambda: w1(n_policies=0), r"n_policies is 0; it must be a whole number from 1"),
    # States
    "state of another learner": (
        lambda: EFBO.from_state(rewards().state(), policies=EACH, loss=ZeroOne()),
        r"format is 'typeover\.reward-only'; expected 'typeover\.efbo'",
    ),
    "state of other policies": (
        lambda: Uniform.from_state(uniform().state(), policies=EACH.subset([0])),
        r"saved with 3 policies .* but 1 were given .*; pass the same policies in the same order",
    ),
    "state of the future": (
        lambda: Uniform.from_state(State(json=uniform().state().json | {"version": 2}), policies=EACH),
        r"typeover\.uniform is at version 2, this program reads up to 1; install a newer typeover",
    ),
    "state that is not there": (lambda: State.load("nowhere.npz"), r"no file at nowhere\.npz; give the path"),
    "state that is something else": (lambda: State.load(__file__), r"test_bad_input\.py is no saved Typeover state"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_by_one_clear_sentence(what):
    call, message = BAD[what]
    with pytest.raises(ValueError, match=message) as refusal:
        call()
    assert isinstance(
        refusal.value, StateError if "state of" in what or "something else" in what else InvalidInputError
    )
    assert isinstance(refusal.value, TypeoverError)
    text = str(refusal.value)
    assert "\n" not in text
    assert 20 < len(text) < 400


def test_a_broken_promise_of_a_metric_has_an_error_of_its_own():
    for what in ("table that is no metric where one is promised", "function that is no metric where one is promised"):
        with pytest.raises(NotMetricError):
            BAD[what][0]()


def test_a_refused_answer_leaves_the_round_open():
    learner = rewards(block=2)
    decision = learner.decide("x", NAMES)
    before = learner.state()
    with pytest.raises(InvalidInputError, match=r"reward is 7; .* scale it"):
        learner.learn(decision, Feedback(reward=7))
    assert learner.state().json == before.json
    learner.learn(decision, Feedback(reward=0.7))
    assert learner.figures()["accepted"] == 1
