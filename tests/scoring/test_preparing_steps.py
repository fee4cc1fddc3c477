"""Each step of --prepare, on the texts that it is for and on those that it should leave alone."""

from __future__ import annotations

import polars as pl
import pytest

from tiebreak.errors import UsageError
from tiebreak.scoring.preparing import Preparation, TrueCaser, cut, detokenise, mark_unknown


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("It is raining , said Tom .", "It is raining, said Tom."),
        ("do n't worry , he 's here", "don't worry, he's here"),
        ("`` Come ! '' she said .", '"Come!" she said.'),
        ('he said " no " and " yes " .', 'he said "no" and "yes".'),
        ("the band ( with two drummers ) played", "the band (with two drummers) played"),
        ("the -LRB- old -RRB- bridge", "the (old) bridge"),
        ("a well @-@ known 5 % rise to $ 3 .", "a well-known 5% rise to $3."),
        ("Tom &amp; Ann &apos;s", "Tom & Ann's"),
        ("in his team 's 0-0 draw . ` just watching , '", "in his team's 0-0 draw. `just watching,'"),
        ("wait ... what ?", "wait... what?"),
    ],
)
def test_detokenise(tokens: str, text: str) -> None:
    assert detokenise(tokens) == text


@pytest.mark.parametrize(
    "text",
    [
        "It is raining, said Tom.",
        "It's 3.5% of $3 (or so): \"yes\", 'no' - well-known.",
        "Sie sagte: „Nein“.",
        "f(x) = y",
    ],
)
def test_running_text_stays_as_it_is(text: str) -> None:
    assert detokenise(text) == text


def test_true_case_learns_from_running_text() -> None:
    caser = TrueCaser.learnt(
        ["We met Anna in Paris. The will of Will was read by NASA.", "They say anna is small letters only."] * 3
        + ["NASA said so, and Anna left Paris in May.", "It may rain, we may go, may we not?"]
    )
    assert caser("anna of nasa was in paris. will she stay? i may") == "Anna of NASA was in Paris. Will she stay? I may"
    assert caser("She saw McAnna.") == "She saw McAnna."  # what has capitals keeps them
    assert caser.forms.get("the") is None  # the first word of a sentence teaches nothing


def test_texts_without_capitals_teach_nothing() -> None:
    assert TrueCaser.learnt(["we met anna in paris", "anna met us"]).forms == {}


def test_mark_unknown() -> None:
    assert mark_unknown("the <unk> of [UNK] and UNK, @@UNKNOWN@@ \u2047") == (
        "the [unknown] of [unknown] and [unknown], [unknown] [unknown]"
    )
    assert mark_unknown("an unknown UNKnown unk") == "an unknown UNKnown unk"


def test_cut_at_the_nearest_end_of_a_sentence() -> None:
    text = "One two three. Four five! Six seven eight nine? Ten."
    assert cut(text, 10) == text  # no longer than that
    assert cut(text, 4) == "One two three. Four five!"[:14]  # 3 and 5 are as near: the earlier
    assert cut(text, 5) == "One two three. Four five!"
    assert cut(text, 8) == "One two three. Four five! Six seven eight nine?"
    assert cut(text, 1) == "One two three."
    assert cut("no end of any sentence here", 2) == "no end of any sentence here"
    assert cut('He said "no." Then he left. And so on', 6) == 'He said "no." Then he left.'


def test_steps_are_taken_in_one_order_and_named_in_the_label() -> None:
    made = Preparation.of(["cut=5", "detokenise", "mark-unknown"], lambda: [])
    assert made.label == "mark-unknown+detokenise+cut=5+v1"
    texts = pl.Series(["one two . three four <unk> six seven .", None])
    assert made.outputs(texts).to_list() == ["one two. three four [unknown] six seven.", None]
    assert Preparation.of(["cut=2"], lambda: []).outputs(texts).to_list()[0] == "one two ."
    assert Preparation.of(["cut=2"], lambda: []).references(texts).to_list() == texts.to_list()
    first, other = (
        Preparation.of(["true-case"], lambda name=name: [f"We met {name}"]).label for name in ("Anna", "Tom")
    )
    assert first.startswith("true-case@")
    assert first != other


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("detokenize", "no step 'detokenize': did you mean detokenise?"),
        ("xyz", "steps are mark-unknown, detokenise, true-case, cut"),
        ("cut", "from 1 to 1,000,000: cut=250"),
        ("cut=0", "from 1 to 1,000,000"),
        ("cut=1e9", "from 1 to 1,000,000"),
        ("cut=²", "from 1 to 1,000,000"),
        ("true-case=2", "true-case takes no number"),
    ],
)
def test_bad_steps(asked: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Preparation.of([asked], lambda: [])
