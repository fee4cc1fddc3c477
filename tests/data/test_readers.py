"""What is read: types, names as written, formats, notices; and the six real studies."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.importers.made import cells_of, rows_of

from tiebreak.data.columns import decision_times
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.errors import InputError

OUTPUTS = "item,system,text\n"


def _codes(study: Study) -> list[str]:
    return [notice.code for notice in study.notices]


def test_names_stay_as_written_and_columns_get_their_types(make_folder) -> None:  # type: ignore[no-untyped-def]
    folder = make_folder(
        {
            "preferences.csv": "\ufeffextra,item,system_b,system_a,annotator,outcome,seconds,criterion\r\n"
            '1.50,007,B, A ,"w\n1",tie,3,\r\n'
            ",7,B, A ,w,a,,fluency\r\n",
        }
    )
    study = read_study(folder)
    frame = study.preferences
    assert frame is not None
    known = ["item", "system_a", "system_b", "annotator", "outcome", "criterion", "left", "seconds", "decided_at"]
    assert frame.columns == [*known, "sample_a", "sample_b", "extra"]
    assert frame.schema["seconds"] == pl.Float64
    assert all(frame.schema[name] == pl.String for name in frame.columns if name != "seconds")
    assert frame.rows() == [
        ("007", " A ", "B", "w\n1", "tie", None, None, 3.0, None, None, None, "1.50"),
        ("7", " A ", "B", "w", "a", "fluency", None, None, None, None, None, None),
    ]
    assert (study.name, study.path) == ("study", folder)
    assert study.systems == (" A ", "B")
    assert study.annotators == ("w", "w\n1")
    assert study.criteria == (None, "fluency")


def test_tables_of_three_formats_make_one_study(make_folder) -> None:  # type: ignore[no-untyped-def]
    folder = make_folder(
        {
            "outputs.jsonl": '{"item": 7, "system": "A", "text": null}\n\n{"text": "t", "item": "007", "system": 2.0}',
            "items.jsonl": '{"item": 7, "references": {"x": "1"}}\n{"item": "007", "references": {"y": "2"}, "n": 1}\n',
            "ratings.csv": "item,system,annotator,criterion,value\n7,A,w,c,-1e-3\n",
        }
    )
    pl.DataFrame({"item": [7, 7], "system": ["A", "2"], "metric": ["bleu"] * 2, "value": [1, 2]}).write_parquet(
        folder / "scores.parquet"
    )
    study = read_study(folder)
    assert rows_of(study.outputs, "item", "system", "text") == [("7", "A", ""), ("007", "2", "t")]
    assert cells_of(study.items, "references") == [{"x": "1", "y": None}, {"x": None, "y": "2"}]
    assert cells_of(study.items, "n") == [None, 1]
    assert study.scores[:, :5].rows() == [("7", "A", "bleu", 1.0, None), ("7", "2", "bleu", 2.0, None)]
    assert cells_of(study.ratings, "value") == [-0.001]


def test_values_of_several_types_in_an_unknown_column_are_kept_as_json(make_folder) -> None:  # type: ignore[no-untyped-def]
    lines = '{"item":1,"system":"A","text":"x","z":["a"]}\n{"item":2,"system":"A","text":"x","z":"b"}\n'
    study = read_study(make_folder({"outputs.jsonl": lines}))
    assert cells_of(study.outputs, "z") == ['["a"]', '"b"']
    assert _codes(study) == ["unused"]


def test_notices_point_to_names_that_do_not_meet(make_folder) -> None:  # type: ignore[no-untyped-def]
    study = read_study(
        make_folder(
            {
                "outputs.csv": OUTPUTS + "1,gpt-4,x\n1,llama,y\n",
                "ratings.csv": "item,system,annotator,criterion,value\n1,gpt4,w,fluency,3\n1,llama,w,fluency,1\n",
                "judge_preferences.csv": "item,system_a,system_b,judge,outcome,reply\n"
                "1,gpt-4,llama,j,,no idea\n2,llama,gpt-4,j,b,B\n2,llama,gpt-4,J ,b,B\n",
                "study.toml": 'criteria = ["fluenzy"]\n[higher_is_better]\nbleu = true\n',
                "Scores.csv": "x",
                "notes.csv": "x",
            }
        )
    )
    ratings, judgements, misspelt, alike = (n for n in study.notices if n.code == "unmatched-names")
    assert ratings.details == {"table": "ratings", "lacking": "output", "rows": 1, "item": "1", "system": "gpt4"}
    assert judgements.details == ratings.details | {
        "table": "judge_preferences", "rows": 2, "item": "2", "system": "llama",
    }  # fmt: skip
    assert "did you mean gpt-4?" in misspelt.text
    assert alike.details["groups"] == [["J ", "j"]]
    assert [n.details for n in study.notices if n.code == "labels-left-out"] == [{"rows": 1, "judges": {"j": 1}}]
    unread, unknown = (n for n in study.notices if n.code == "unused")  # no scores that a metric could be missing in
    assert unread.details == {"file": "Scores.csv"}
    assert unknown.text.endswith("did you mean fluency?")


def test_times_with_any_zone_become_utc() -> None:
    written = [
        "2021-05-17T08:38:20-07:00",
        "2021-05-17T15:38:20.5Z",
        "2021-05-17 15:38+0000",
        None,
        "2021-05-17T00:30:00+05:30",
    ]
    times = decision_times(pl.DataFrame({"decided_at": written}))
    assert times.dtype == pl.Datetime("us", "UTC")
    assert times.dt.to_string("%Y-%m-%d %H:%M:%S%.3f").to_list() == [
        "2021-05-17 15:38:20.000",  # 08:38 at seven hours behind
        "2021-05-17 15:38:20.500",
        "2021-05-17 15:38:00.000",
        None,
        "2021-05-16 19:00:00.000",  # half past midnight, five and a half hours ahead
    ]
    assert decision_times(pl.DataFrame({"item": ["1"]})).to_list() == [None]


REAL = {
    "naturalness-v1": {"items": 500, "outputs": 1000, "preferences": 5000},
    "naturalness-v2": {"items": 500, "outputs": 1000, "preferences": 5000},
    "summeval": {"items": 100, "outputs": 1600, "ratings": 43_200, "scores": 57_428, "judge_preferences": 8_800},
    "wmt21-en-de": {"items": 1002, "outputs": 11_022, "ratings": 8_959, "scores": 40_080},
    "llmfao": {"items": 19, "outputs": 1_133, "preferences": 8_931, "judge_preferences": 6_472},
    "pandalm": {"items": 999, "outputs": 1_998, "preferences": 2_997, "judge_preferences": 1_998},
}


@pytest.mark.parametrize("name", REAL)
def test_real_studies_are_read_whole(real_studies: Path, name: str) -> None:
    study = read_study(real_studies / name)
    assert {table: frame.height for table, frame in study.tables.items()} == REAL[name]


def test_real_studies_hold_what_their_description_says(real_studies: Path) -> None:
    summeval = read_study(real_studies / "summeval")
    assert len(summeval.systems) == 16
    assert summeval.criteria == ("coherence", "consistency", "fluency", "relevance")
    assert summeval.annotators == (*(f"expert_e{n}" for n in range(3)), *(f"turker_{n}" for n in range(5)))
    assert summeval.notices == ()
    wmt = read_study(real_studies / "wmt21-en-de")
    assert _codes(wmt) == ["unmatched-names", "unmatched-names"]
    assert wmt.notices[0].details["rows"] == 3_162
    assert len(wmt.notices[1].details["systems"]) == 6  # type: ignore[arg-type]
    llmfao = read_study(real_studies / "llmfao")
    assert len(llmfao.systems) == 70
    assert llmfao.preferences is not None
    assert round((llmfao.preferences["outcome"] == "tie").mean(), 2) == 0.39  # type: ignore[arg-type]
    assert llmfao.outputs is not None
    assert (llmfao.outputs["text"].str.strip_chars() == "").sum() == 69
    pandalm = read_study(real_studies / "pandalm")
    assert [n.details["rows"] for n in pandalm.notices if n.code == "labels-left-out"] == [25]


def test_a_frame_with_no_times_has_them_missing_as_one_with_a_few() -> None:
    some = decision_times(pl.DataFrame({"decided_at": ["2026-05-01T09:30:00Z", None]}))
    none = decision_times(pl.DataFrame({"decided_at": [None, None]}, schema={"decided_at": pl.String}))
    assert none.dtype == some.dtype
    assert (none.to_list(), none.name) == ([None, None], some.name)
    assert decision_times(pl.DataFrame({"item": ["x"]})).dtype == some.dtype


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "Jose\u0301"),
        ("ﬁne", "fine"),
        ("GPT", "ＧＰＴ"),
        ("x\u200b", "x"),
        ("Strasse ", "strasse"),
        ("Å", "\u212b"),
    ],
)
def test_names_that_look_alike_are_kept_apart_with_a_notice(one: str, other: str, make_folder) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f'{{"item":"1","system":"{name}","text":"x"}}\n' for name in (one, other, "else"))
    study = read_study(make_folder({"outputs.jsonl": rows}))
    (notice,) = [notice for notice in study.notices if notice.code == "unmatched-names"]
    assert notice.details["groups"] == [sorted((one, other))]


def test_a_table_that_makes_no_study_alone_is_not_suggested_in_its_own_place(tmp_path: Path) -> None:
    (tmp_path / "passages.csv").write_text("item,passage,text\ni1,p,x\n")
    with pytest.raises(InputError, match="no study here") as caught:
        read_study(tmp_path)
    assert "did you mean" not in str(caught.value)
    assert "tiebreak import" not in str(caught.value)
