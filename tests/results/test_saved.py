"""A saved comparison is read back whole, or refused with the file and every wrong key named."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import InputError
from tiebreak.results.saved import load_result, parse_result

Document = dict[str, object]


@pytest.fixture(scope="module")
def saved() -> Document:
    """What `compare --json` prints for 12 forced choices between ash and é, two of three for ash."""
    rows = [
        {"item": f"i{k:02}", "system_a": "ash", "system_b": "é", "annotator": "w", "outcome": "ab"[k % 3 == 0]}
        for k in range(12)
    ]
    text = json.dumps(compare(Study.from_tables(preferences=rows)).to_dict(), ensure_ascii=False, allow_nan=False)
    document: Document = json.loads(text)
    return document


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_saved_document_comes_back_in_any_unicode_encoding(saved: Document, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "saved.json"
    file.write_bytes((json.dumps(saved, ensure_ascii=False) + "\r\n").encode(encoding))
    assert load_result(file) == saved


def test_the_document_becomes_records(saved: Document) -> None:
    (criterion,) = parse_result(saved, "saved.json").results
    (pair,) = criterion.pairs
    assert criterion.criterion is None
    assert (pair.system_a, pair.system_b, pair.verdict) == ("ash", "é", "undecided")
    assert (pair.counts, pair.labels) == ((8, 0, 4), 12)
    assert pair.shares == pytest.approx((2 / 3, 0.0, 1 / 3))


def test_a_pair_turned_round_swaps_all_that_has_a_side(saved: Document) -> None:
    changed = copy.deepcopy(saved)
    first_pair(changed)["verdict"] = "a"
    pair = parse_result(changed, "x").results[0].pairs[0]
    assert pair.oriented("ash") == pair
    turned = pair.oriented("é")
    assert (turned.system_a, turned.system_b, turned.verdict, turned.counts) == ("é", "ash", "b", (4, 0, 8))
    assert turned.shares == pytest.approx((1 / 3, 0.0, 2 / 3))
    assert turned.oriented("ash") == pair


def test_a_pair_without_evidence_has_no_shares(saved: Document) -> None:
    changed = copy.deepcopy(saved)
    first_pair(changed).update(wins=0, ties=0, losses=0, p={"a": 0.0, "tie": 0.0, "b": 0.0})
    assert parse_result(changed, "x").results[0].pairs[0].shares is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"item,system\ni1,a\n", "line 1: is not JSON"),
        (b'{"tiebreak": "0.1.0",\n "results": [}', "line 2: is not JSON"),
        (b"[1, 2]", "is not a saved comparison, but a list"),
        (b'{"results": []}', "key tiebreak"),
        (b'{"tiebreak": "0.1.0", "diagnosis": {}}', "key results is missing"),
        (b'{"tiebreak": "0.1.0", "results": [NaN]}', "NaN is no JSON number"),
        (b'{"tiebreak": "\xff\xfe\xfa"}', "is not JSON"),
        (b"[" * 200_000, "is not JSON"),
    ],
)
def test_a_file_that_is_no_saved_comparison_is_refused_by_name(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "reference.json"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_result(file)
    assert str(file) in str(caught.value)
    assert words in str(caught.value)
    assert "tiebreak compare STUDY --json" in str(caught.value)


def test_a_missing_file_gets_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "reference.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"refrence\.json: no such file: did you mean reference\.json\?"):
        load_result(tmp_path / "refrence.json")
    with pytest.raises(InputError, match="no such file"):
        load_result(tmp_path / "nowhere" / "reference.json")


def test_a_study_folder_in_place_of_the_document_gets_the_command_that_saves_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder, not a saved comparison; save one with: tiebreak compare"):
        load_result(tmp_path)


def first_pair(document: Document) -> dict[str, object]:
    return document["results"][0]["pairs"][0]  # type: ignore[index,no-any-return]


def put(*path: str | int, value: object = None, gone: bool = False) -> Callable[[Document], None]:
    """Another value of a key, or none at all."""

    def change(document: Document) -> None:
        holder: object = document
        for key in path[:-1]:
            holder = holder[key]  # type: ignore[index]
        holder[path[-1]] = value  # type: ignore[index]
        if gone:
            del holder[path[-1]]  # type: ignore[attr-defined]

    return change


drop = partial(put, gone=True)


PAIR = ("results", 0, "pairs", 0)
AT = "results[0].pairs[0]"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (put("tiebreak", value=1), "key tiebreak is 1, but must be text"),
        (put("tiebreak", value="newest"), 'key tiebreak is "newest", but must be the version'),
        (put("tiebreak", value="999.0.0"), 'key tiebreak is "999.0.0", later than this tiebreak'),
        (drop("study"), "key study is missing"),
        (put("results", value={}), "key results is an object, but must be a list"),
        (drop("study", "fingerprint"), "key study.fingerprint is missing"),
        (drop("results", 0, "criterion"), "key results[0].criterion is missing"),
        (put("results", 0, "criterion", value=["x"]), "key results[0].criterion is a list, but must be text"),
        (drop(*PAIR, "system_a"), f"key {AT}.system_a is missing"),
        (put(*PAIR, "system_b", value=""), f'key {AT}.system_b is "", but must be text'),
        (put(*PAIR, "system_b", value="ash"), f'key {AT}.system_b is "ash", as system_a'),
        (put(*PAIR, "verdict", value="win"), f'key {AT}.verdict is "win", but must be one of a, b, equivalent, und'),
        (put(*PAIR, "ties", value=-1), f"key {AT}.ties is -1, but must be a whole number"),
        (put(*PAIR, "wins", value=True), f"key {AT}.wins is true, but must be a whole number"),
        (put(*PAIR, "wins", value=10**400), f"key {AT}.wins is 1000"),
        (drop(*PAIR, "p", "tie"), f"key {AT}.p.tie is missing"),
        (put(*PAIR, "p", "a", value=1.2), f"key {AT}.p.a is 1.2, but must be a number from 0 to 1"),
        (put(*PAIR, "p", "a", value=0.25), f"key {AT}.p sums to 0.583333, but shares sum to 1"),
    ],
)
def test_each_wrong_key_is_named(
    saved: Document, tmp_path: Path, spoil: Callable[[Document], None], words: str
) -> None:
    changed = copy.deepcopy(saved)
    spoil(changed)
    file = tmp_path / "reference.json"
    file.write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_result(file)
    assert f"{file}: {words}" in str(caught.value)
    assert len(caught.value.problems) == 1  # one mistake, one message


def test_a_pair_or_criterion_that_occurs_twice_is_refused(saved: Document) -> None:
    changed = copy.deepcopy(saved)
    turned = {**first_pair(changed), "system_a": "é", "system_b": "ash"}
    changed["results"][0]["pairs"].append(turned)  # type: ignore[index]
    with pytest.raises(InputError, match=r"key results\[0\]\.pairs\[1\] is é and ash, as an earlier one is"):
        parse_result(changed, "x")
    changed = copy.deepcopy(saved)
    changed["results"].append(changed["results"][0])  # type: ignore[attr-defined,index]
    with pytest.raises(InputError, match=r"key results\[1\]\.criterion is null, as an earlier one is"):
        parse_result(changed, "x")
