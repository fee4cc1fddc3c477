"""Scores and judgements that came into an export later: the verdict in it stands, an own analysis uses them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from benchmarks.worlds.small_campaigns import protocol_of, study_of
from tests.docs.documents import run_command

from tiebreak.campaign import LabelGiven, next_tasks
from tiebreak.campaign.kinds import Preferred
from tiebreak.errors import InputError, UsageError
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.export import write_export
from tiebreak.places import result_at
from tiebreak.places.place import check_free
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.protocol import Budget, DecisionSettings

AT = "2026-05-01T09:30:00Z"


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """That of a campaign with the judge gpt, and ten labels."""
    study = study_of(items=80, judges={"gpt": {("ant", "bee"): ["a", "b"] * 40}})
    protocol = protocol_of(decision=DecisionSettings(judges=("gpt",)), budget=Budget(items_per_pair=20))
    create_campaign(tmp_path / "camp", protocol, study, at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: list(next_tasks(state, "zoe", 10, AT)))
    live.commit(lambda state, _: [LabelGiven(AT, task, "zoe", Preferred("a")) for task in sorted(state.tasks)])
    write_export(live, tmp_path / "out")
    return tmp_path / "out"


def judged_later(export: Path) -> None:
    table = pl.read_csv(export / "judge_preferences.csv")
    more = table.with_columns(judge=pl.lit("later"), outcome=pl.lit("a"))
    pl.concat([more, table]).write_csv(export / "judge_preferences.csv")


def test_what_comes_later_changes_no_verdict_and_serves_an_own_analysis(export: Path) -> None:
    before = result_at(export).to_dict()
    judged_later(export)
    code, output = run_command(f"tiebreak score '{export}' --metric length")
    assert code == 0, output
    said = " ".join(output.replace("\\\n", " ").split())
    assert said.endswith(f"Next: tiebreak compare {export} --own-analysis --metric all")
    assert result_at(export).to_dict() == before
    for asked in (CompareSettings(judges=("later",)), CompareSettings(metrics=("all",))):
        (pair,) = result_at(export, asked, own_analysis=True).results[0].pairs
        assert pair.metric is not None


def test_what_the_verdict_rests_on_is_still_guarded(export: Path) -> None:
    table = pl.read_csv(export / "judge_preferences.csv")
    table.filter(pl.col("item") != "i003").write_csv(export / "judge_preferences.csv")
    with pytest.raises(InputError, match=r"the row i003, .* is missing"):
        result_at(export)
    added = table.head(1).with_columns(item=pl.lit("i900"))
    pl.concat([table, added]).write_csv(export / "judge_preferences.csv")
    with pytest.raises(InputError, match=r"i900, .*is not in the campaign"):
        result_at(export)


def test_nothing_is_written_under_its_names_and_no_text_is_prepared(export: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="whose verdict rests on gpt as it was: nothing may be added to it or replaced"
    ):
        check_free(export, ["other", "gpt"])
    check_free(export, ["other"])
    check_free(tmp_path / "camp" / "study", ["gpt"])
    before = {path: path.read_bytes() for path in export.iterdir() if path.is_file()}
    for options, words in (
        ("--metric gpt=length", "whose verdict rests on gpt as it was"),
        ("--metric length --prepare cut=1", "whose texts stay as people saw them: leave out --prepare"),
    ):
        code, output = run_command(f"tiebreak score '{export}' {options}")
        assert (code, words in " ".join(output.split())) == (2, True), output
    assert {path: path.read_bytes() for path in export.iterdir() if path.is_file()} == before
