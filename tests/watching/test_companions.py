"""Metrics for a claim about inputs like these: which items are put into sets, which of a set counts, what is said."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.watching.test_metrics import scores
from tests.watching.watched import Row, Watched, label, outputs

from tiebreak.errors import UsageError
from tiebreak.kernels.companion_sets import CompanionSets
from tiebreak.results.words.watch import watch_words
from tiebreak.watching.evidence import LedgerEvidence
from tiebreak.watching.settings import WatchSettings

ITEMS = 450


class World:
    """Ant is somewhat better than bee, a metric shows it, and one item in three is labelled."""

    def __init__(self, noise: float = 0.3, lead: float = 0.2, seed: int = 1, items: int = ITEMS, **more: Any) -> None:
        rng = np.random.default_rng(seed)
        latent = rng.normal(lead, 1.0, items)
        self.outcomes = np.where(np.abs(latent) < 0.4, 0, np.sign(latent)).astype(int)
        self.values = latent + noise * rng.normal(size=items)
        tables = {"outputs": outputs(items), "scores": scores(self.values)}
        settings = WatchSettings(**{"metrics": ("bleu",), "companions": 2, "per_item": 1, **more})
        self.watched = Watched(tables=tables, settings=settings)

    def rows(self, names: list[str], annotator: str = "ann") -> list[Row]:
        words = {1: "a", 0: "tie", -1: "b"}
        return [label(name, words[self.outcomes[int(name[1:])]], annotator) for name in names]

    def look(self, names: list[str] | None = None, **more: Any) -> None:
        self.watched.look(self.rows(names or []), **more)

    @property
    def evidence(self) -> LedgerEvidence:
        return LedgerEvidence(self.watched.ledger)

    @property
    def sets(self) -> list[list[str]]:
        """The names of the items of each set."""
        evidence = self.evidence
        sets = evidence.sets.sets
        return [[evidence.items[k] for k in np.flatnonzero(sets == number)] for number in range(sets.max() + 1)]

    @property
    def companions(self) -> CompanionSets:
        automatic = self.watched.evidence.automatic
        assert automatic is not None
        assert automatic.companions is not None
        return automatic.companions


def test_a_metric_makes_labels_go_further() -> None:
    world = World(lead=0.15, seed=3)
    world.look()
    todo = world.evidence.sets.to_label()
    assert len(set(todo)) == ITEMS // 3
    alone = Watched(tables={"outputs": outputs(ITEMS)}, settings=WatchSettings(per_item=1))
    alone.look()
    for start in range(0, 150, 10):
        world.look(todo[start : start + 10])
        alone.look(world.rows(todo[start : start + 10]))
    with_help, without = world.watched.pair, alone.pair
    use = with_help.metric
    assert use is not None
    assert use.used
    assert use.saved is not None
    assert 0.3 < use.saved.share < 2 / 3
    assert use.unlabelled == ITEMS - 150
    assert (with_help.verdict, with_help.items) == ("a", 150)
    assert with_help.stopped_at is not None
    assert without.stopped_at is not None
    assert use.stopped_at_without == without.stopped_at > with_help.stopped_at
    assert with_help.difference.high - with_help.difference.low < without.difference.high - without.difference.low
    result = world.watched.result
    assert "Metrics help in sets of 3 items without a label, drawn by chance" in result.terms.guarantee
    assert "or on their metric values" in result.terms.guarantee
    assert "with bleu as a control variate" in result.results[0].sentence
    assert "Metrics help in sets of 3 items" in result.results[0].sentence
    assert result.watch is not None
    said = result.to_dict()["watch"]
    assert said["sets"] == {"size": 3, "drawn": 150, "labelled": 150}
    assert said["settings"]["companions"] == 2
    assert "Each of 150 sets of 3 items has one with a label" in watch_words(result.watch)


def test_only_the_first_labelled_item_of_a_set_counts() -> None:
    world = World()
    world.look()
    first, second, third, *_ = world.sets
    world.look([first[1], second[0], second[2]])
    world.look([first[0], first[2], second[1], third[0]])
    found = world.watched.evidence
    assert (len(found.evidence.sequence), found.companions) == (4, 3)
    assert found.evidence.sequence.looks is not None
    assert found.evidence.sequence.looks.tolist() == [3, 4]
    assert sorted(world.companions.sets.tolist()) == [0, 1, 1, 2]
    assert world.watched.result.watch is not None
    assert "3 on companions of labelled items" in watch_words(world.watched.result.watch)
    todo = world.evidence.sets.to_label()
    assert [len({*todo} & {*of}) for of in (first, second, third)] == [1, 1, 1]
    assert third[0] in todo


def test_items_without_a_value_are_named_in_proportion() -> None:
    """The claim is about inputs like these, whether the metric has a value for them or not."""
    world = World(seed=5)
    world.watched.tables["scores"] = [row for row in world.watched.tables["scores"] if int(row["item"][1:]) % 4]
    world.look()
    todo = world.evidence.sets.to_label()
    without = [name for name in todo if int(name[1:]) % 4 == 0]
    assert len(todo) == len(set(todo))
    assert abs(len(without) - ITEMS / 4 / 3) <= 1
    assert abs(len(todo) - ITEMS / 3) <= 2
    assert not np.array_equal(
        np.argsort([int(name[1:]) % 4 == 0 for name in todo], kind="stable"), np.arange(len(todo))
    )
    world.look(without[:5])
    assert len(world.watched.evidence.evidence.sequence) == 5
    assert "must not depend on whether the metric has a value" in world.watched.result.terms.guarantee


def test_sets_hold_what_the_first_look_could_use() -> None:
    """Not items with a label of anybody on any pair, without a value, with identical outputs, or that came later."""
    world = World(items=60)
    world.watched.tables["outputs"] = [
        *outputs(60, same=[3, 4], systems=("ant", "bee")),
        *outputs(60, systems=("cat",)),
    ]
    world.watched.tables["scores"] = [row for row in scores(world.values) if row["item"] not in ("i5", "i6", "i7")]
    world.watched.settings = replace(world.watched.settings, only_pairs=(("ant", "bee"),))
    world.watched.look([*world.rows(["i0"]), label("i1", "a", a="ant", b="cat")])
    inside = {name for names in world.sets for name in names}
    assert inside.isdisjoint({f"i{k}" for k in (0, 3, 4, 5, 6, 7)})
    assert all(len(names) == 3 for names in world.sets)
    before = world.sets
    more = [{"item": f"j{k}", "system": name, "text": f"{name} {k}"} for name in ("ant", "bee") for k in range(9)]
    world.watched.tables["outputs"] = [*world.watched.tables["outputs"], *more]
    late = [{"item": f"j{k}", "system": "ant", "metric": "bleu", "value": 1.0} for k in range(9)]
    world.watched.tables["scores"] = [*world.watched.tables["scores"], *late]
    world.watched.look([*world.rows(["i5", before[0][0]]), label("j1", "a"), label("j2", "b")])
    assert world.sets == before
    names = [world.evidence.items[k] for k in world.watched.evidence.evidence.items]
    found = dict(zip(names, world.companions.sets.tolist(), strict=True))
    assert {name: place for name, place in found.items() if name not in ("i3", "i4")} == {
        "i0": -1,
        "i5": -1,
        "j1": -1,
        "j2": -1,
        before[0][0]: 0,
    }


def test_the_past_never_moves_and_values_are_those_of_the_first_look() -> None:
    world = World(seed=4)
    world.look()
    todo = world.evidence.sets.to_label()
    paths: list[list[float]] = []
    for start in range(0, 120, 30):
        world.look(todo[start : start + 30])
        curve = world.watched.pair.curve
        assert curve is not None
        at = {int(items): value for items, value in zip(curve.items, curve.log_e_a, strict=True)}
        paths.append([at[end] for end in range(30, start + 31, 30)])
        world.watched.tables["scores"] = scores(world.values + start)[: -start or None]
        if start == 60:  # and clusters that are listed later
            late = [
                {"item": f"j{k}", "system": name, "text": f"{name} {k}"} for name in ("ant", "bee") for k in range(9)
            ]
            world.watched.tables["outputs"] = [*world.watched.tables["outputs"], *late]
            world.watched.tables["items"] = [
                *({"item": f"i{k}", "cluster": f"i{k}"} for k in range(ITEMS)),
                *({"item": f"j{k}", "cluster": f"d{k // 3}"} for k in range(9)),
            ]
    for before, after in itertools.pairwise(paths):
        np.testing.assert_allclose(after[: len(before)], before, rtol=1e-9)
    said = {notice.code for notice in world.watched.result.warnings}
    assert {"scores-changed", "scores-vanished"} <= said


def test_a_pair_that_joins_later_has_no_help() -> None:
    world = World()
    world.look(["i0"])
    world.watched.tables["outputs"] = outputs(ITEMS, systems=("ant", "bee", "cat"))
    world.watched.tables["scores"] = scores(world.values, systems=("ant", "bee", "cat"))
    world.watched.look([label("i9", "a", a="ant", b="cat")])
    family = world.watched.ledger.families[1]
    assert family.pairs == ((None, "ant", "cat"),)
    assert world.evidence.of_family(family)[0].automatic is None


def test_closed_batches_and_several_metrics() -> None:
    world = World(metrics=("all",))
    noise = np.random.default_rng(6).normal(size=ITEMS)
    world.watched.tables["scores"] = [*scores(world.values), *scores(noise, "length")]
    world.watched.tables["items"] = [{"item": f"i{k}", "batch": f"b{k // 100}"} for k in range(ITEMS)]
    world.look()
    todo = world.evidence.sets.to_label()
    world.look([name for name in todo if int(name[1:]) < 90], closed=["b0"])
    pair = world.watched.pair
    assert pair.abandoned > 0
    assert pair.metric is not None
    assert pair.metric.names == ("bleu", "length")
    assert world.companions.scores.shape[1] == 3


def test_where_there_are_no_companions_it_says_so() -> None:
    world = World(items=6)
    world.look(["i0", "i1", "i2", "i3"])
    assert world.watched.pair.metric is None
    assert world.watched.result.watch is not None
    assert "The metric cannot help: at the first look there were no 3 items without a label" in watch_words(
        world.watched.result.watch
    )


def test_what_cannot_be() -> None:
    with pytest.raises(UsageError, match="only by companions"):
        WatchSettings(metrics=("bleu",))
    for more in ({"target": "items"}, {"metrics": ()}):
        with pytest.raises(UsageError, match="companions are for metrics and a claim about inputs like these"):
            WatchSettings(**{"metrics": ("bleu",), "companions": 2, **more})
    with pytest.raises(UsageError, match="order is 'listed', but companions"):
        World(order="listed")
    with pytest.raises(UsageError, match="companions is 31"):
        World(companions=31)
    world = World()
    world.watched.tables["items"] = [{"item": f"i{k}", "cluster": f"d{k // 3}"} for k in range(ITEMS)]
    with pytest.raises(UsageError, match=r"companions is 2, but items come in clusters \(by cluster\)"):
        world.look()
