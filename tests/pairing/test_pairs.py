"""Pairing outputs without inputs: what is dropped and why, what is kept, and the account of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.importers.made import cells_of, rows_of

from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.kernels.length_matching import LengthTolerance
from tiebreak.pairing.pairs import Pairing, PairingSettings, pair_outputs
from tiebreak.pairing.sources import PairingSource

EXACT = LengthTolerance(0, relative=False)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def source(system: str, rows: list[tuple[str, ...]], columns: tuple[str, ...] = ("text", "tense")) -> PairingSource:
    pl.DataFrame(rows, schema=list(columns), orient="row").write_parquet(f"{system}.parquet")
    return PairingSource(f"{system}.parquet", system)


def random_rows(rng: np.random.Generator, count: int, mean: float) -> list[tuple[str, ...]]:
    words = ["the", "a", "food", "service", "was", "great", "bad", "loved", "it", "never", "again", "dog"]
    return [
        (" ".join(rng.choice(words, max(1, rng.poisson(mean)))), str(rng.choice(["past", "present"])))
        for _ in range(count)
    ]


def texts_of(pairing: Pairing) -> list[tuple[str, str]]:
    """Both texts of every item, of two systems a and b."""
    wide = pairing.study.tables["outputs"].pivot(on="system", index="item", values="text")
    return list(zip(wide["a"].to_list(), wide["b"].to_list(), strict=True))


def test_each_reason_to_drop_by_hand() -> None:
    a = source(
        "a",
        [
            ("one two three", "past"),  # paired
            ("  one  two three ", "present"),  # repeats the first but for spaces
            (" \u200b", "past"),  # blank
            ("x y z", None),  # no tense
            ("to be sure", "future"),  # the other has no future
            ("a very much longer text than all", "past"),  # no past text of similar length
            ("four five six", "Past "),  # the one partner went to the first or is taken by this one
        ],
    )
    b = source("b", [("seven eight nine", " past"), ("now", "present")])
    settings = PairingSettings(match=("tense",), tolerance=EXACT)
    pairing = pair_outputs([a, b], settings)
    counts = pairing.sources[0]
    assert (counts.read, counts.blank, counts.no_attribute, counts.repeated, counts.usable) == (7, 1, 1, 1, 4)
    left, right = pairing.pairs[0].sides
    assert (left.unmatched_attributes, left.too_far, left.left_over, left.paired, left.kept) == (1, 1, 1, 1, 1)
    assert (right.unmatched_attributes, right.too_far, right.left_over, right.paired) == (1, 0, 0, 1)
    assert (left.mean_length_before, left.mean_length) == ((3 + 3 + 7 + 3) / 4, 3)
    assert pairing.lone_values == (("tense", "future", ("a",)), ("tense", "present", ("b",)))
    ((item, tense),) = rows_of(pairing.study.items, "item", "tense")
    assert item == "item0001"
    assert tense in ("past", "Past")  # as the first file writes it: chance took one of its two texts


def test_lengths_of_pairs_are_within_the_tolerance_and_attributes_agree() -> None:
    rng = np.random.default_rng(1)
    rows_a, rows_b = random_rows(rng, 300, 10), random_rows(rng, 250, 12)
    settings = PairingSettings(match=("tense",), tolerance=LengthTolerance(0.2, relative=True))
    pairing = pair_outputs([source("a", rows_a), source("b", rows_b)], settings)
    pairs = texts_of(pairing)
    assert len(pairs) > 150
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    # The first row of a text counts; reversed, so that it is the last to be set.
    first_a, first_b = dict(reversed(rows_a)), dict(reversed(rows_b))
    for a, b in pairs:
        lengths = len(a.split()), len(b.split())
        assert max(lengths) - min(lengths) <= 0.2 * max(lengths)
        assert first_a[a] == first_b[b]
    sides = pairing.pairs[0].sides
    for side, counts in zip(sides, pairing.sources, strict=True):
        dropped = side.unmatched_attributes + side.too_far + side.left_over
        assert dropped + side.paired == counts.usable
        assert counts.blank + counts.no_attribute + counts.repeated + counts.usable == counts.read
    assert sides[0].mean_length == pytest.approx(np.mean([len(a.split()) for a, _ in pairs]))
    longer = [len(a.split()) - len(b.split()) for a, b in pairs]
    assert pairing.pairs[0].longer == (sum(d > 0 for d in longer), sum(d < 0 for d in longer))


def test_lengths_that_differ_before_are_balanced_after() -> None:
    rng = np.random.default_rng(2)
    files = [source("a", random_rows(rng, 600, 9)), source("b", random_rows(rng, 600, 13))]
    left, right = pair_outputs(files, PairingSettings(tolerance=EXACT)).pairs[0].sides
    assert right.mean_length_before - left.mean_length_before > 3
    assert right.mean_length == left.mean_length


def test_the_sample_is_random_among_the_pairs_and_shuffled() -> None:
    rng = np.random.default_rng(3)
    files = [source("a", random_rows(rng, 400, 10)), source("b", random_rows(rng, 400, 10))]
    whole = pair_outputs(files, PairingSettings(match=("tense",)))
    some = pair_outputs(files, PairingSettings(match=("tense",), sample=100))
    assert some.pairs[0].sides[0].kept == 100
    assert some.pairs[0].sides[0].paired == whole.pairs[0].sides[0].paired
    assert set(texts_of(some)) < set(texts_of(whole))
    lengths = [len(a.split()) for a, _ in texts_of(some)]
    assert lengths != sorted(lengths)
    assert np.mean(lengths) == pytest.approx(whole.pairs[0].sides[0].mean_length, abs=1.5)
    again, other = (pair_outputs(files, PairingSettings(match=("tense",), sample=100, seed=seed)) for seed in (0, 1))
    assert texts_of(again) == texts_of(some) != texts_of(other)
    more = pair_outputs(files, PairingSettings(sample=10**6))
    assert more.pairs[0].sides[0].kept == more.pairs[0].sides[0].paired


def test_three_systems_are_paired_two_by_two_on_items_of_their_own() -> None:
    rng = np.random.default_rng(4)
    files = [source(name, random_rows(rng, 60, 8)) for name in ("a", "b", "c")]
    pairing = pair_outputs(files, PairingSettings(sample=20))
    assert [tuple(side.system for side in pair.sides) for pair in pairing.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    by_item = pairing.study.tables["outputs"].group_by("item").agg(pl.col("system").sort().str.join(" "))
    assert dict(by_item["system"].value_counts().iter_rows()) == {"a b": 20, "a c": 20, "b c": 20}


def test_the_study_says_where_each_text_comes_from_and_reads_back() -> None:
    a = source("a", [("n", "past"), ("one two", "past")])
    b = source("b", [("three four", "past")])
    pairing = pair_outputs([a, b], PairingSettings(match=("tense",), tolerance=EXACT), name="s")
    write_study(pairing.study, "s")
    study = read_study("s")
    assert rows_of(study.outputs, "item", "system", "text", "source_line") == [
        ("item0001", "a", "one two", "2"),  # a line that CSV gives back as text
        ("item0001", "b", "three four", "1"),
    ]
    assert cells_of(study.items, "tense") == ["past"]


def test_an_attribute_may_be_a_column_that_studies_know() -> None:
    columns = ("text", "context")
    files = [source(name, [(f"{name} one", "c1"), (f"{name} two", "c2")], columns) for name in ("a", "b")]
    study = pair_outputs(files, PairingSettings(match=("context",))).study
    assert sorted(cells_of(study.items, "context")) == ["c1", "c2"]


@pytest.mark.parametrize("name", ["length", "group", "row", "number", "system_a", "text_b", "annotator"])
def test_an_attribute_may_have_any_other_name(name: str) -> None:
    files = [source(system, [("one two", "long"), ("three", "short")], ("text", name)) for system in ("a", "b")]
    study = pair_outputs(files, PairingSettings(match=(name,))).study
    assert sorted(cells_of(study.items, name)) == ["long", "short"]


def test_lengths_in_characters() -> None:
    files = [source("a", [("日本語です", "x")]), source("b", [("今日は雨だ", "x"), ("雨", "x")])]
    pairing = pair_outputs(files, PairingSettings(unit="characters", tolerance=EXACT))
    assert texts_of(pairing) == [("日本語です", "今日は雨だ")]
    assert pairing.pairs[0].sides[1].too_far == 1


def test_the_same_text_on_both_sides_is_counted() -> None:
    files = [source("a", [("same words", "x")]), source("b", [("same words", "x")])]
    assert pair_outputs(files, PairingSettings()).pairs[0].identical == 1


def test_nothing_to_pair_is_an_error_that_says_why() -> None:
    a, b = source("a", [("one", "past")]), source("b", [("one two three", "Future")])
    with pytest.raises(InputError, match=r"a.parquet and b.parquet: no text of one has the attributes \(tense\)"):
        pair_outputs([a, b], PairingSettings(match=("tense",)))
    with pytest.raises(InputError, match="no two texts are of similar length; raise --length-tolerance"):
        pair_outputs([a, b], PairingSettings())
    blank = source("c", [(" ", "past"), ("x", " ")])
    with pytest.raises(InputError, match=r"c\.parquet: no text to pair: all 2 rows are blank or lack tense"):
        pair_outputs([blank, b], PairingSettings(match=("tense",)))


def test_problems_of_all_files_come_together() -> None:
    for name in ("a", "b"):
        Path(f"{name}.jsonl").write_text("{oops\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        pair_outputs([PairingSource("a.jsonl", "a"), PairingSource("b.jsonl", "b")], PairingSettings())
    assert [problem.file for problem in caught.value.problems] == ["a.jsonl", "b.jsonl"]


def test_bad_settings_are_refused() -> None:
    files = [source("a", [("one", "x")]), source("b", [("one", "x")])]
    with pytest.raises(UsageError, match="--sample must be at least 1, but it is 0"):
        pair_outputs(files, PairingSettings(sample=0))
    with pytest.raises(UsageError, match="--match item"):
        pair_outputs(files, PairingSettings(match=("item",)))
