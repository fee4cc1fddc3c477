"""Answers are left out on the items that the answering model learned from; what signatures stand for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import polars as pl
import pytest
from tests.importers.made import cells_of

from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import (
    LABELLED_ITEMS,
    SIGNATURES_FILE,
    add_signatures,
    contexts_of,
    item_keys,
    keys_of_items,
    read_signatures,
    texts_read,
)
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.messages.tables import LEARNED_FROM

# ---- answers -----------------------------------------------------------------------------------------------------

MODEL, OTHER = "evaluator|siamese|weights:1", "evaluator|siamese|weights:2"


def study_of(
    count: int, *, signature: str | Sequence[str] = MODEL, inputs: bool = True, cluster_size: int = 0
) -> Study:
    """Two systems on `count` items, a judge's answer and a score on each, and a label on every second item."""
    names = [f"i{k}" for k in range(count)]
    signed = [signature] * count if isinstance(signature, str) else list(signature)
    items = [{"item": name, "input": f"question {name}" if inputs else None} for name in names]
    if cluster_size:
        items = [{**row, "cluster": f"c{k // cluster_size}"} for k, row in enumerate(items)]
    pair = {"system_a": "ant", "system_b": "bee"}
    return Study.from_tables(
        items=items,
        outputs=[{"item": name, "system": s, "text": f"{s} on {name}"} for name in names for s in ("ant", "bee")],
        preferences=[{"item": name, **pair, "annotator": "p", "outcome": "a"} for name in names[::2]],
        judge_preferences=[
            {"item": name, **pair, "judge": "model", "outcome": "a", "signature": sign}
            for name, sign in zip(names, signed, strict=True)
        ],
        scores=[
            {"item": name, "system": "ant", "metric": "points", "value": k, "signature": sign}
            for k, (name, sign) in enumerate(zip(names, signed, strict=True))
        ],
    )


def knowing(study: Study, items: Collection[str], signature: str = MODEL, own: Study | None = None) -> Study:
    """The study where a model learned from labels of these items of `own`, by default of the study itself."""
    source = own or study
    keys = keys_of_items(source.outputs, source.items)
    learned = sorted(set().union(*(keys[item] for item in items)))
    return study.with_signatures({signature: {"kind": "evaluator", LABELLED_ITEMS: learned}})


def answered(study: Study) -> set[str]:
    return set() if study.judge_preferences is None else set(cells_of(study.judge_preferences, "item"))


def test_one_item_of_sixty_in_common_leaves_out_that_one_alone() -> None:
    study = knowing(study_of(60), ["i3"])
    assert answered(study) == {f"i{k}" for k in range(60)} - {"i3"}
    assert "i3" not in cells_of(study.scores, "item")
    (metric, judge) = [notice for notice in study.notices if notice.code == LEARNED_FROM.code]
    assert judge.details == {"name": "model", "items": 1, "others": 59}
    assert metric.details["name"] == "points"
    used = compare(study, judges=["model"], rule="anytime").results[0].pairs[0].metric
    assert used is not None
    assert sum(map(sum, used.confusion)) == 30  # i3 has no label


def test_rows_that_are_left_out_are_still_written(tmp_path: Path) -> None:
    write_study(knowing(study_of(8), ["i1", "i2"]), tmp_path / "study")
    again = read_study(tmp_path / "study")
    assert answered(again) == {f"i{k}" for k in (0, 3, 4, 5, 6, 7)}
    assert pl.read_csv(tmp_path / "study" / "judge_preferences.csv").height == 8


def test_each_answer_is_held_against_its_own_model() -> None:
    """Two folds: the items that one learned from were judged by the other."""
    study = study_of(6, signature=[MODEL, OTHER] * 3)
    keys = keys_of_items(study.outputs, study.items)
    learned = {
        MODEL: {LABELLED_ITEMS: sorted(keys["i1"] | keys["i3"])},
        OTHER: {LABELLED_ITEMS: sorted(keys["i0"] | keys["i2"] | keys["i5"])},
    }
    assert answered(study.with_signatures(learned)) == {"i0", "i1", "i2", "i3", "i4"}


def test_other_items_of_a_cluster_count_as_learned_from() -> None:
    study = study_of(9, cluster_size=3)
    alone = item_keys("question i4", ())
    left = study.with_signatures({MODEL: {LABELLED_ITEMS: sorted(alone)}})
    assert answered(left) == {"i0", "i1", "i2", "i6", "i7", "i8"}


def test_without_inputs_items_are_told_by_their_outputs() -> None:
    assert answered(knowing(study_of(5, inputs=False), ["i2"])) == {"i0", "i1", "i3", "i4"}


@pytest.mark.parametrize("text", ["question i2", "question\ni2", " question  i2", "question\u200b i2"])
def test_an_item_is_known_again_in_another_study_and_other_blanks(text: str) -> None:
    assert item_keys("question i2", ()) == item_keys(text, ("whatever",))
    assert item_keys("", ("a", "b")) == item_keys("", ("a",)) | item_keys("", ("b",))
    assert item_keys("question i2", ()) != item_keys("", ("question i2",))


def test_a_template_that_all_items_share_tells_none_of_them() -> None:
    study = study_of(6)
    assert study.items is not None
    templated = Study.from_tables(**(study.tables | {"items": study.items.with_columns(input=pl.lit("Summarise:"))}))
    assert answered(knowing(templated, ["i2"])) == {"i0", "i1", "i3", "i4", "i5"}


def test_the_answers_of_a_model_that_nobody_knows_are_left_out() -> None:
    study = study_of(4).with_signatures({})
    assert answered(study) == set()
    with pytest.raises(UsageError, match=r"'model' is left out on all 4 items .* signatures.jsonl does not say"):
        compare(study, judges=["model"], rule="anytime")


def test_what_learned_from_everything_says_so_and_metrics_without_a_model_stay() -> None:
    study = study_of(4, signature="chrf|nc:6")
    assert answered(study.with_signatures({})) == {"i0", "i1", "i2", "i3"}
    learned = knowing(study_of(4), ["i0", "i1", "i2", "i3"])
    assert learned.scores is None
    with pytest.raises(UsageError, match="'points' is left out on all 4 items that it covers: its model learned from"):
        compare(learned, metrics=["points"], rule="anytime")
    with pytest.raises(UsageError, match="'all' means no metric"):
        compare(learned, metrics=["all"], rule="anytime")


def test_notices_are_about_what_was_asked_for() -> None:
    study = knowing(study_of(10), ["i1"])
    names = [
        notice.details["name"] for notice in study.notices_for(("points",), ()) if notice.code == LEARNED_FROM.code
    ]
    assert names == ["points"]
    assert LEARNED_FROM.code not in {notice.code for notice in compare(study).warnings}


def test_texts_read_tell_any_change_but_blanks() -> None:
    assert texts_read("c", ("a b", "d")) == texts_read("c", ("a  b\n", "d"))
    assert texts_read("c", ("a", "d")) != texts_read("c", ("d", "a"))
    assert texts_read("c", ("a", "d")) != texts_read("c", ("A", "d"))


def test_a_context_is_its_context_and_input() -> None:
    frame = pl.DataFrame({"item": ["x", "y"], "context": [" before ", None], "input": ["asked", None]})
    assert contexts_of(frame) == {"x": "before\nasked", "y": ""}
    assert contexts_of(None) == {}


# ---- signatures --------------------------------------------------------------------------------------------------

CHRF = {"kind": "metric", "name": "chrf", "settings": {"order": 6}}
JUDGE = {"kind": "judge", "name": "gpt", "prompt": "Wer ist besser?\nä"}


def test_they_come_back_in_order_and_are_added_once(tmp_path: Path) -> None:
    assert read_signatures(tmp_path) == {}
    add_signatures(tmp_path, {})
    assert not (tmp_path / SIGNATURES_FILE).exists()
    add_signatures(tmp_path, {"chrf|nc:6": CHRF})
    add_signatures(tmp_path, {"judge:1": JUDGE, "chrf|nc:6": CHRF})
    assert list(read_signatures(tmp_path).items()) == [("chrf|nc:6", CHRF), ("judge:1", JUDGE)]
    assert (tmp_path / SIGNATURES_FILE).read_text(encoding="utf-8").count("\n") == 2


def test_one_signature_has_one_meaning(tmp_path: Path) -> None:
    add_signatures(tmp_path, {"x": CHRF})
    before = (tmp_path / SIGNATURES_FILE).read_bytes()
    with pytest.raises(TiebreakError, match="x stands there with another meaning"):
        add_signatures(tmp_path, {"y": CHRF, "x": JUDGE})
    assert (tmp_path / SIGNATURES_FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"signature": "x"}\n{"signature": ', "line 2: "),
        (b'\n[1]', 'line 2: not an object with a "signature"'),
        (b'{"name": "x"}', 'line 1: not an object with a "signature"'),
        (b'{"signature": ""}', 'line 1: not an object with a "signature"'),
        (b'{"signature": "x"}\n{"signature": "x", "a": 1}', "line 2: the signature x stands in the file with another"),
        (b'{"signature": "x", "a": 1, "a": 2}', "line 1: "),
        (b"\xff", "byte 0 is no UTF-8"),
        (b"[" * 900, "line 1: "),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_with_its_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / SIGNATURES_FILE).write_bytes(content)
    with pytest.raises(InputError, match=r"signatures\.jsonl") as caught:
        read_signatures(tmp_path)
    assert message in str(caught.value)
    with pytest.raises(InputError):
        add_signatures(tmp_path, {"x": CHRF})
    assert (tmp_path / SIGNATURES_FILE).read_bytes() == content
