"""`--prepare`: each step, and a prepared study."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.small_studies import pair_votes, rating

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.preparing import Preparation, TrueCaser, cut, detokenise, mark_unknown, prepared_study
from tiebreak.scoring.score import score_with
from tiebreak.scoring.settings import ScoreSettings

# ---- A prepared study keeps what it was, is prepared once, and not behind the back of who labelled it. -------------


def study(**labels: object) -> Study:
    return Study.from_tables(
        items=[{"item": "i0", "input": "Tom met Anna .", "reference": "It is raining , Tom ."}],
        outputs=[
            {"item": "i0", "system": "ant", "text": "It is raining , Tom ."},
            {"item": "i0", "system": "bee", "text": "It rains."},
        ],
        **labels,  # type: ignore[arg-type]
    )


def texts(of: Study, column: str = "text") -> list[str]:
    return of.outputs[column].to_list()


def test_the_original_is_kept_and_the_step_recorded() -> None:
    found = prepared_study(study(), ["detokenise"], overwrite=False)
    assert texts(found.study) == ["It is raining, Tom.", "It rains."]
    assert texts(found.study, "original") == ["It is raining , Tom .", "It rains."]
    assert texts(found.study, "prepared") == ["detokenise", "detokenise"]
    assert found.changed
    assert (found.label, found.steps, found.texts) == ("detokenise+v1", "detokenise", 1)


def test_once_more_changes_nothing_and_later_runs_know_of_it() -> None:
    once = prepared_study(study(), ["cut=1", "detokenise"], overwrite=False)
    for asked in (["detokenise", "cut=1"], []):
        again = prepared_study(once.study, asked, overwrite=False)
        assert not again.changed
        assert again.label == once.label


def test_other_steps_begin_with_the_original() -> None:
    once = prepared_study(study(), ["detokenise"], overwrite=False).study
    with pytest.raises(UsageError, match=r"prepared before \(detokenise\), and otherwise than now \(mark-unknown\)"):
        prepared_study(once, ["mark-unknown"], overwrite=False)
    assert texts(prepared_study(once, ["mark-unknown"], overwrite=True).study) == texts(study())


def test_outputs_that_came_later_must_be_prepared_too() -> None:
    once = prepared_study(study(), ["detokenise"], overwrite=False).study
    rows = [*once.outputs.to_dicts(), {"item": "i0", "system": "cat", "text": "Rain ."}]
    later = Study.from_tables(items=once.items, outputs=rows)
    with pytest.raises(UsageError, match="1 output came after the others were prepared: --prepare detokenise"):
        prepared_study(later, [], overwrite=False)
    assert texts(prepared_study(later, ["detokenise"], overwrite=False).study) == [
        "It is raining, Tom.",
        "It rains.",
        "Rain.",
    ]


def test_texts_that_people_labelled_are_not_changed_behind_their_back() -> None:
    for labels in ({"preferences": pair_votes("w")}, {"ratings": [rating("i0", "ant", "ann", 3)]}):
        labelled = study(**labels)
        with pytest.raises(UsageError, match="1 output that --prepare would change is in the table"):
            prepared_study(labelled, ["detokenise"], overwrite=False)
        assert prepared_study(labelled, ["detokenise"], overwrite=True).changed
        assert prepared_study(labelled, ["mark-unknown"], overwrite=False).study  # changes no text
    edited = study(edits=[{"item": "i0", "system": "ant", "annotator": "ann", "text": "It rains, Tom."}])
    with pytest.raises(UsageError, match="edits say how the original differs"):
        prepared_study(edited, ["detokenise"], overwrite=True)


def test_references_are_written_like_outputs_but_never_cut() -> None:
    settings = ScoreSettings(metrics=["edit-distance-characters"], prepare=["detokenise", "cut=1"], workers=1)
    result = score_with(study(), settings)
    scores = dict(result.scores.select("system", "value").iter_rows())
    assert scores["ant"] == 0  # "It is raining, Tom." has one sentence: cut leaves it, and the reference is alike
    assert result.scores["signature"][0].endswith("|prep:detokenise+cut=1+v1")
    assert result.outputs_changed


def test_rows_that_repeat_others_are_prepared_too(tmp_path: Path) -> None:
    (tmp_path / "outputs.csv").write_text("item,system,text\ni0,ant,It rains .\ni0,ant,It rains .\n")
    found = prepared_study(read_study(tmp_path), ["detokenise"], overwrite=False).study
    assert found.tables_as_read["outputs"]["text"].to_list() == ["It rains."] * 2
    assert texts(found) == ["It rains."]


# ---- Each step of --prepare, on the texts that it is for and on those that it should leave alone. ------------------


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
