"""A prepared study keeps what it was, is prepared once, and not behind the back of who labelled it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.small_studies import pair_votes, rating

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.preparing import prepared_study
from tiebreak.scoring.score import score_with
from tiebreak.scoring.settings import ScoreSettings


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
    assert of.outputs is not None
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
    assert once.outputs is not None
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
