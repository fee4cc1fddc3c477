"""Metrics in a watched study: which values are written down, which of them help, and what they help."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.watching.watched import Row, Watched, label, outputs

from tiebreak.errors import UsageError
from tiebreak.watching.evidence import LedgerEvidence
from tiebreak.watching.result import result_of
from tiebreak.watching.settings import WatchSettings

POOL = 200


def settings(**more: Any) -> WatchSettings:
    return WatchSettings(target="items", metrics=("bleu",), per_item=1, **more)


def scores(values: np.ndarray, metric: str = "bleu", systems: tuple[str, ...] = ("ant", "bee")) -> list[Row]:
    """The first system has the values, the others 0."""
    return [
        {"item": f"i{k}", "system": name, "metric": metric, "value": float(value) if name == systems[0] else 0.0}
        for name in systems
        for k, value in enumerate(values)
    ]


class World:
    """A pool in which ant is somewhat better than bee, a metric that shows it, and labels item by item."""

    def __init__(self, noise: float = 0.3, lead: float = 0.25, seed: int = 1, **more: Any) -> None:
        rng = np.random.default_rng(seed)
        latent = rng.normal(lead, 1.0, POOL)
        self.outcomes = np.where(np.abs(latent) < 0.4, 0, np.sign(latent)).astype(int)
        self.values = latent + noise * rng.normal(size=POOL)
        tables = {"outputs": outputs(POOL), "scores": scores(self.values)}
        self.watched = Watched(tables=tables, settings=settings(**more))

    def rows(self, start: int, end: int, annotator: str = "ann") -> list[Row]:
        words = {1: "a", 0: "tie", -1: "b"}
        return [label(f"i{k}", words[self.outcomes[k]], annotator) for k in range(start, end)]

    def look(self, start: int = 0, end: int = 0, **more: Any) -> None:
        self.watched.look(self.rows(start, end), **more)

    @property
    def known(self) -> int:
        """Items of the only pair that have a value which may help."""
        automatic = self.watched.evidence.automatic
        assert automatic is not None
        return int((~np.isnan(automatic.labelled)).sum() + (~np.isnan(automatic.unlabelled)).sum())


def test_a_metric_makes_labels_go_further() -> None:
    world = World()
    for start in range(0, 100, 10):
        world.look(start, start + 10)
    use, alone = world.watched.pair.metric, replace(world.watched, tables={"outputs": outputs(POOL)}, looks=[], rows=[])
    assert use is not None
    assert use.used
    assert use.saved is not None
    assert use.saved.share > 0.5
    alone.settings = WatchSettings(target="items", per_item=1)
    for start in range(0, 100, 10):
        alone.look(world.rows(start, start + 10))
    with_help, without = world.watched.pair, alone.pair
    assert with_help.verdict == "a"
    assert with_help.stopped_at is not None
    assert without.stopped_at is not None
    assert use.stopped_at_without == without.stopped_at > with_help.stopped_at
    assert (with_help.difference.high - with_help.difference.low) < 0.8 * (
        without.difference.high - without.difference.low
    )
    assert world.watched.result.terms.metrics == ("bleu",)
    assert "Metrics predict only items whose values a look wrote down" in world.watched.result.terms.guarantee


def test_values_are_those_of_the_first_look() -> None:
    """Whatever the study says later: changed, gone, or there for the first time."""
    world = World()
    world.watched.tables["scores"] = world.watched.tables["scores"][10:]
    world.look(0, 30)
    before = world.watched.evidence.automatic
    changed = world.watched.tables["scores"] = [
        *scores(world.values)[:10],
        *({**row, "value": row["value"] + 1} for row in scores(world.values)[10:50]),
        *scores(world.values)[60:],
    ]
    assert len(changed) == 2 * POOL - 10
    world.look(30, 60)
    after = world.watched.evidence.automatic
    assert before is not None
    assert after is not None
    values = [np.sort(np.concatenate([of.labelled, of.unlabelled])[:, 0]) for of in (before, after)]
    assert np.array_equal(*values, equal_nan=True)
    said = {notice.code: notice for notice in world.watched.result.warnings}
    assert said["scores-changed"].details == {"values": 40}
    assert said["scores-vanished"].details == {"values": 10}
    assert said["scores-late"].details == {"values": 10}
    assert "10 metric values came after the look at which their systems joined" in said["scores-late"].text


def test_of_an_evaluator_that_came_later_it_is_said_what_looks_use() -> None:
    """Looks go on with the values of its name that they wrote down; no look uses another one."""
    world = World()
    world.look(0, 30)
    learned = [*scores(world.values), *scores(world.values, "comet")]
    world.watched.tables["scores"] = [{**row, "signature": "evaluator|another"} for row in learned]
    world.look(30, 60)
    found = result_of(world.watched.ledger, world.watched.study.with_signatures({}))
    said = {notice.details.get("name"): notice.text for notice in found.warnings}
    assert said["bleu"].endswith(
        "so that its values in the study prove nothing here; looks use those that they wrote down by that name when "
        "the systems joined."
    )
    assert "comet" not in said, "no look was asked for it"
    assert found.results[0].pairs[0].metric is not None


def test_a_value_may_not_know_a_label_of_its_item() -> None:
    """Two labels count: items 0 to 29 are complete when values are written down, 30 to 59 have one label."""
    world = World(seed=2)
    world.watched.settings = replace(world.watched.settings, per_item=2)
    world.watched.look([*world.rows(0, 60), *world.rows(0, 30, "bob")])
    assert world.known == POOL - 30
    world.watched.look(world.rows(30, 60, "bob"))
    assert world.known == POOL - 30
    automatic = world.watched.evidence.automatic
    assert automatic is not None
    assert np.isnan(automatic.labelled[30:]).all()


def test_a_label_on_another_pair_counts_as_one_of_the_item() -> None:
    """cat joins when i0 to i49 have labels: its values for these are not used, those for the others are."""
    world = World()
    everything = outputs(POOL, systems=("ant", "bee", "cat"))
    world.watched.tables["outputs"] = everything
    world.look(0, 50)
    world.watched.tables["scores"] = scores(world.values, systems=("ant", "bee", "cat"))
    world.watched.look([label(f"i{k}", "a", a="ant", b="cat") for k in range(60, 70)])
    family = world.watched.ledger.families[1]
    assert family.pairs == ((None, "ant", "cat"),)
    automatic = LedgerEvidence(world.watched.ledger).of_family(family)[0].automatic
    assert automatic is not None
    assert not np.isnan(automatic.labelled).any()
    assert np.isnan(automatic.unlabelled).sum() == 50


def test_the_past_never_moves() -> None:
    for seed in range(3):
        world = World(seed=seed)
        paths: list[list[float]] = []
        for start in range(0, 120, 24):
            world.look(start, start + 24)
            curve = world.watched.pair.curve
            assert curve is not None
            at = {int(items): value for items, value in zip(curve.items, curve.log_e_a, strict=True)}
            paths.append([at[end] for end in range(24, start + 25, 24)])
        for before, after in itertools.pairwise(paths):
            np.testing.assert_allclose(after[: len(before)], before, rtol=1e-9)


def test_a_metric_that_says_nothing_costs_nothing() -> None:
    world = World()
    world.watched.tables["scores"] = scores(np.random.default_rng(4).normal(size=POOL))
    alone = World()
    alone.watched.settings = WatchSettings(target="items", per_item=1)
    for start in range(0, 100, 20):
        world.look(start, start + 20)
        alone.look(start, start + 20)
    assert world.watched.pair.e_a == pytest.approx(alone.watched.pair.e_a)
    assert world.watched.pair.difference == alone.watched.pair.difference
    use = world.watched.pair.metric
    assert use is not None
    assert not use.used


def test_several_metrics_and_all_of_them() -> None:
    world = World()
    noise = np.random.default_rng(6).normal(size=POOL)
    world.watched.tables["scores"] = [*scores(world.values), *scores(noise, "length")]
    world.watched.settings = replace(world.watched.settings, metrics=("all",))
    for start in range(0, 100, 20):
        world.look(start, start + 20)
    assert world.watched.ledger.begun.settings.metrics == ("bleu", "length")
    use = world.watched.pair.metric
    assert use is not None
    assert use.used
    assert use.shares is not None
    assert use.shares[0] > 0.9


def test_a_closed_batch_without_answers() -> None:
    world = World()
    batches = [{"item": f"i{k}", "batch": f"b{k // 20}"} for k in range(POOL)]
    world.watched.tables["items"] = batches
    world.look(0, 40)
    world.look(40, 55, closed=["b2"])
    world.look(60, 80)
    pair = world.watched.pair
    assert pair.abandoned == 5
    assert pair.metric is not None
    assert pair.metric.used
    assert pair.difference.estimate is not None
    assert -1 <= pair.difference.low <= pair.difference.estimate <= pair.difference.high <= 1


def test_what_cannot_be() -> None:
    world = World()
    world.watched.settings = replace(world.watched.settings, metrics=("blue",))
    with pytest.raises(UsageError, match=r"blue.*did you mean bleu"):
        world.look()
    world.watched.settings = replace(world.watched.settings, metrics=("all",))
    world.watched.tables["scores"] = None
    with pytest.raises(UsageError, match="no metric that 'all' could mean"):
        world.look()


def test_nothing_is_saved_in_a_pool_that_is_labelled_to_its_end() -> None:
    world = World(lead=0.0)
    for start in range(0, POOL, 50):
        world.look(start, start + 50)
    pair = world.watched.pair
    assert pair.metric is not None
    assert (pair.metric.used, pair.metric.saved) == (False, None)
    assert pair.difference.estimate == pytest.approx(world.outcomes.mean())
