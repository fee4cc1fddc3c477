"""What lies at a path, its result, and what an own analysis says of itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from benchmarks.worlds.small_campaigns import protocol_of, study_of
from tests.cli.campaign_commands import ok, refused
from tests.ranking.ranked_studies import judged

from tiebreak.campaign import CampaignStopped, LabelGiven, State, TaskAssigned, TaskReturned, next_tasks, step
from tiebreak.campaign.events import Event
from tiebreak.campaign.kinds import Preferred
from tiebreak.comparison.against import evaluate_against
from tiebreak.data.settings import SystemSettings
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.live import LiveCampaign, create_campaign, open_campaign, result_of
from tiebreak.live.answers import exclude
from tiebreak.live.export import write_export
from tiebreak.messages.headline import message_of
from tiebreak.places import place_at, result_at
from tiebreak.places.estimates import rank_at
from tiebreak.places.place import check_free
from tiebreak.report.formats import write_table
from tiebreak.report.kinds import draw
from tiebreak.results.settings import CompareSettings, RankSettings
from tiebreak.settings.protocol import Budget, DecisionSettings

AT = "2026-05-01T09:30:00Z"


def stopped_early(state: State) -> list[Event]:
    """Five answers, the end by hand, and sixty late answers for the first system."""
    events: list[Event] = list(next_tasks(state, "zoe", 65, AT))
    answers = [LabelGiven(AT, task.task, "zoe", Preferred("a"), comment="well, well") for task in events]  # type: ignore[union-attr]
    return [*events, *answers[:5], CampaignStopped(AT, "no more money"), *answers[5:]]


@pytest.fixture
def campaign(tmp_path: Path) -> LiveCampaign:
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: stopped_early(state))
    return live


@pytest.fixture
def export(campaign: LiveCampaign, tmp_path: Path) -> Path:
    write_export(campaign, tmp_path / "out")
    return tmp_path / "out"


def test_late_labels_are_no_evidence_anywhere(campaign: LiveCampaign, export: Path) -> None:
    for found in (result_of(campaign), result_at(campaign.folder), result_at(export)):
        (pair,) = found.results[0].pairs
        assert (pair.verdict, pair.items, pair.labels) == ("undecided", 5, 5)
        assert (found.campaign.labels, found.campaign.late, found.campaign.ended) == (65, 60, "stopped")


def test_an_export_says_nothing_of_what_it_does_not_hold(tmp_path: Path) -> None:
    """Settings of systems, criteria and metrics that the campaign left out would look like misspelt names."""
    study = study_of(("ant", "bee", "cat"), items=80)
    about = {name: SystemSettings(run="r", step=k) for k, name in enumerate(study.systems)}
    scale = {"fluency": (1.0, 5.0), "other": (1.0, 5.0)}
    told = replace(study.settings, systems=about, scale=scale, higher_is_better={"ter": False})
    protocol = protocol_of(only_pairs=(("ant", "cat"),))
    create_campaign(tmp_path / "camp", protocol, replace(study, settings=told), at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: stopped_early(state))
    export = write_export(live, tmp_path / "out")
    assert {name: of.step for name, of in export.settings.systems.items()} == {"ant": 0, "cat": 2}
    assert export.settings.scale == {}
    assert export.settings.higher_is_better == {"ter": False}  # for scores that come later
    for path in (live.folder, tmp_path / "out"):
        found = result_at(path, CompareSettings(), own_analysis=True)
        assert not [notice.text for notice in found.warnings if "study.toml" in notice.text]


def test_an_own_analysis_leaves_them_out_and_says_what_it_is(campaign: LiveCampaign, export: Path) -> None:
    for path in (campaign.folder, export):
        found = result_at(path, CompareSettings(rule="anytime", alpha=0.02), own_analysis=True)
        (pair,) = found.results[0].pairs
        assert (pair.items, found.terms.alpha) == (5, 0.02)
        assert found.own_analysis.late == 60
        assert found.warnings[0].code == "own-analysis"
        for text in (found.warnings[0].text, found.results[0].sentence):
            assert "not the campaign's verdict" in text
        assert "so it promises no error rate" in found.warnings[0].text
        assert found.terms.guarantee.says.startswith("promise no error rate")
        assert (found.own_analysis.name, found.study["name"]) == ("camp", "camp")
        assert (pair.items_to_decision, pair.flags) == (None, ("not-projected",))
        message = message_of(found.results[0], found.terms, "$", None, found.own_analysis)
        assert message.next_step.startswith("Report the verdict of the campaign")
        assert found.to_dict()["own_analysis"] == found.own_analysis.to_dict()
    fixed = result_at(export, CompareSettings(), own_analysis=True)
    assert fixed.terms.guarantee.says.startswith("promise no error rate")
    assert fixed.results[0].sentence.endswith(f"Verdicts {fixed.terms.guarantee.in_a_paper}.")
    assert (
        fixed.results[0].pairs[0].difference.validity.says.endswith("if the number of labels had been fixed beforehand")
    )


def test_tables_and_pictures_of_an_own_analysis_say_so(export: Path, tmp_path: Path) -> None:
    own, relayed = result_at(export, own_analysis=True), result_at(export)
    for found, marked in ((own, True), (relayed, False)):
        write_table(found, tmp_path / "table.csv")
        rows = (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
        assert (rows[0].endswith(",own_analysis_of"), rows[1].endswith(",camp")) == (marked, marked)
        title = draw("intervals", found).get_suptitle()
        assert ("Own analysis of the campaign camp, not its verdict" in title) == marked


def test_the_same_labels_have_one_fingerprint(campaign: LiveCampaign, export: Path, tmp_path: Path) -> None:
    """In the campaign, in its export with people renamed, and in the tables alone."""
    shutil.copytree(export, tmp_path / "tables", ignore=shutil.ignore_patterns("campaign"))
    found = [
        result_of(campaign),
        result_at(export),
        result_at(export, own_analysis=True),
        result_at(campaign.folder, own_analysis=True),
        result_at(tmp_path / "tables"),
    ]
    assert len({result.study["fingerprint"] for result in found}) == 1
    assert evaluate_against(found[4], found[0].to_dict()).same_labels
    fewer = edited_copy(tmp_path / "tables", tmp_path / "fewer")
    assert not evaluate_against(result_at(fewer), found[0].to_dict()).same_labels


def edited_copy(path: Path, to: Path) -> Path:
    """With another first answer."""
    shutil.copytree(path, to)
    edited(to / "preferences.csv", lambda rows: [rows[0], rows[1].replace(",a,", ",b,", 1), *rows[2:]])
    return to


def test_a_campaign_has_the_warnings_and_the_agreement_of_its_labels(tmp_path: Path) -> None:
    """One person gives all labels of a hundred items, always for the first text."""
    create_campaign(tmp_path / "camp", protocol_of(decision=DecisionSettings(alpha=1e-9)), study_of(items=150), at=AT)
    live = open_campaign(tmp_path / "camp")
    tasks = live.commit(lambda state, _: next_tasks(state, "zoe", 100, AT))
    sides = {"ant": "a", "bee": "b"}
    live.commit(lambda _, __: [LabelGiven(AT, t.task, "zoe", Preferred(sides[t.left])) for t in tasks])  # type: ignore[union-attr, arg-type]
    write_export(live, tmp_path / "out")
    own = result_at(live.folder, own_analysis=True)
    for found in (result_of(live), result_at(tmp_path / "out")):
        codes = [warning.code for warning in found.warnings]
        assert "positions" in codes
        assert set(codes) <= {warning.code for warning in own.warnings}
        assert found.results[0].agreement == own.results[0].agreement


def test_settings_need_an_own_analysis(campaign: LiveCampaign, export: Path, tmp_path: Path) -> None:
    for path in (campaign.folder, export):
        with pytest.raises(UsageError, match=r"leave out --alpha 0\.1, or add --own-analysis"):
            result_at(path, CompareSettings(alpha=0.1))
    write_study(study_of(items=4), tmp_path / "s")
    with pytest.raises(UsageError, match="is a study: leave it out"):
        result_at(tmp_path / "s", own_analysis=True)


def test_what_lies_there(campaign: LiveCampaign, export: Path, tmp_path: Path) -> None:
    write_study(study_of(items=4), tmp_path / "study")
    kinds = [place_at(path).kind for path in (campaign.folder, export, tmp_path / "study")]
    assert kinds == ["campaign", "export", "study"]
    with pytest.raises(InputError, match="no such folder: did you mean camp"):
        place_at(tmp_path / "cmp")


def edited(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(change(lines)), encoding="utf-8", newline="")


def added(row: str) -> str:
    """Somebody else's answer to a task that there was never."""
    return row.replace(",t00", ",t99").replace("person-1", "me")


def other_text(row: str) -> str:
    """Another text of the same system."""
    return row.replace(",ant ", ",Ant ")


@pytest.mark.parametrize(
    ("file", "change", "told"),
    [
        ("preferences", lambda rows: [*rows[:3], rows[3].replace(",a,", ",b,"), *rows[4:]],
         r"row 3, task t0002-\w+, ant, bee: outcome is 'b' in the table, but 'a' in the events"),
        ("preferences", lambda rows: [*rows[:3], *rows[4:]], r"task t0002-\w+, ant, bee: its label is missing"),
        ("preferences", lambda rows: [*rows, added(rows[-1])], r"row 66, task t99.*: is not a"),
        ("preferences", lambda rows: [row.replace("true", "false") for row in rows], "late is 'false' in the table"),
        ("outputs", lambda rows: [*rows[:4], other_text(rows[4]), *rows[5:]],
         r"outputs.csv: row 4 \(i003, ant\) was changed"),
        ("outputs", lambda rows: [*rows[:4], *rows[5:]], r"outputs.csv: the row i003, ant is missing"),
        ("items", lambda rows: [*rows, "i999,c999\n"], r"items.csv: row 81 \(i999\) is not in the campaign"),
    ],
)  # fmt: skip
def test_tables_that_were_changed_are_named(
    export: Path, file: str, change: Callable[[list[str]], list[str]], told: str
) -> None:
    edited(export / f"{file}.csv", change)
    with pytest.raises(InputError, match=told) as raised:
        result_at(export)
    assert "add --own-analysis to analyse the labels in the tables afresh" in str(raised.value)
    result_at(export, own_analysis=True)


def test_rows_in_another_order_are_the_same_tables(export: Path) -> None:
    edited(export / "preferences.csv", lambda rows: [rows[0], *reversed(rows[1:])])
    edited(export / "outputs.csv", lambda rows: [rows[0], *reversed(rows[1:])])
    assert result_at(export).campaign is not None


def test_names_and_remarks_stay_at_home_unless_asked_for(campaign: LiveCampaign, tmp_path: Path) -> None:
    exclude(campaign, "zoe", now=AT, reason="zoe has left")
    for keep_names, comments in ((False, False), (True, False), (False, True)):
        out = tmp_path / f"{keep_names}{comments}"
        write_export(campaign, out, keep_names=keep_names, comments=comments)
        text = "".join(path.read_text(encoding="utf-8") for path in out.rglob("*") if path.is_file())
        assert ("no more money" in text, "well, well" in text) == (comments, comments)
        assert ("person-1" in text) != keep_names
        assert ('"annotator": "zoe"' in text) == (",zoe," in text) == keep_names


def test_the_commands_say_so(campaign: LiveCampaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert campaign.folder.name == "camp"
    output = ok("tiebreak campaign export camp -o out --keep-names")
    assert "--own-analysis" in refused("tiebreak compare out --margin 0.1", 2)
    output = ok("tiebreak compare out --own-analysis --json")
    assert json.loads(output)["own_analysis"]["late"] == 60
    output = ok("tiebreak report out --own-analysis -o own.html")
    page = (tmp_path / "own.html").read_text(encoding="utf-8")
    assert "not the campaign&#39;s verdict" in page
    assert ">tiebreak compare out --own-analysis</pre>" in page
    edited(tmp_path / "out" / "preferences.csv", lambda rows: rows[:-1])
    assert "its label is missing" in refused("tiebreak compare out", 1)


def test_an_item_that_one_person_answered_twice_is_one_label_of_the_tables(tmp_path: Path) -> None:
    """A task that was taken back, handed out to the same person again, and answered both times."""
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    live = open_campaign(tmp_path / "camp")
    (first,) = live.commit(lambda state, _: next_tasks(state, "zoe", 1, AT))
    assert isinstance(first, TaskAssigned)
    live.commit(lambda _, __: [TaskReturned(AT, first.task, "expired")])
    (second,) = live.commit(lambda state, _: next_tasks(state, "zoe", 1, AT))
    assert isinstance(second, TaskAssigned)
    assert (second.item, second.task != first.task) == (first.item, True)
    live.commit(lambda _, __: [LabelGiven(AT, task.task, "zoe", Preferred("a")) for task in (first, second)])
    assert (live.state.labels, live.state.late) == (2, 1)
    study = write_export(live, tmp_path / "out")
    assert study.preferences["late"].to_list() == [False]
    assert (
        result_at(tmp_path / "out").to_dict()["results"][0]["pairs"]
        == (  # type: ignore[index]
            result_at(live.folder).to_dict()["results"][0]["pairs"]  # type: ignore[index]
        )
    )


def test_step_and_replay_are_one(campaign: LiveCampaign) -> None:
    state = campaign.beginning
    for event in campaign.events():
        state = step(state, event)
    assert (state.labels, state.late) == (65, 60)


# ---- Scores and judgements that came into an export later: the verdict in it stands, an own analysis uses them.


@pytest.fixture
def judged_export(tmp_path: Path) -> Path:
    """That of a campaign with the judge gpt, and ten labels."""
    study = study_of(items=80, judges={"gpt": {("ant", "bee"): ["a", "b"] * 40}})
    protocol = protocol_of(decision=DecisionSettings(judges=("gpt",)), budget=Budget(items_per_pair=20))
    create_campaign(tmp_path / "camp", protocol, study, at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: list(next_tasks(state, "zoe", 10, AT)))
    live.commit(lambda state, _: [LabelGiven(AT, task, "zoe", Preferred("a")) for task in sorted(state.tasks)])
    write_export(live, tmp_path / "out")
    return tmp_path / "out"


def judged_later(judged_export: Path) -> None:
    table = pl.read_csv(judged_export / "judge_preferences.csv")
    more = table.with_columns(judge=pl.lit("later"), outcome=pl.lit("a"))
    pl.concat([more, table]).write_csv(judged_export / "judge_preferences.csv")


def test_what_comes_later_changes_no_verdict_and_serves_an_own_analysis(judged_export: Path) -> None:
    before = result_at(judged_export).to_dict()
    judged_later(judged_export)
    output = ok(f"tiebreak score '{judged_export}' --metric length")
    said = " ".join(output.replace("\\\n", " ").split())
    assert said.endswith(f"Next: tiebreak compare {judged_export} --own-analysis --metric all")
    assert result_at(judged_export).to_dict() == before
    for asked in (CompareSettings(judges=("later",)), CompareSettings(metrics=("all",))):
        (pair,) = result_at(judged_export, asked, own_analysis=True).results[0].pairs
        assert pair.metric is not None


def test_what_the_verdict_rests_on_is_still_guarded(judged_export: Path) -> None:
    table = pl.read_csv(judged_export / "judge_preferences.csv")
    table.filter(pl.col("item") != "i003").write_csv(judged_export / "judge_preferences.csv")
    with pytest.raises(InputError, match=r"the row i003, .* is missing"):
        result_at(judged_export)
    added = table.head(1).with_columns(item=pl.lit("i900"))
    pl.concat([table, added]).write_csv(judged_export / "judge_preferences.csv")
    with pytest.raises(InputError, match=r"i900, .*is not in the campaign"):
        result_at(judged_export)


def test_nothing_is_written_under_its_names_and_no_text_is_prepared(judged_export: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="whose verdict rests on gpt as it was: nothing may be added to it or replaced"
    ):
        check_free(judged_export, ["other", "gpt"])
    check_free(judged_export, ["other"])
    check_free(tmp_path / "camp" / "study", ["gpt"])
    before = {path: path.read_bytes() for path in judged_export.iterdir() if path.is_file()}
    for options, words in (
        ("--metric gpt=length", "whose verdict rests on gpt as it was"),
        ("--metric length --prepare cut=1", "whose texts stay as people saw them: leave out --prepare"),
    ):
        assert words in refused(f"tiebreak score '{judged_export}' {options}", 2)
    assert {path: path.read_bytes() for path in judged_export.iterdir() if path.is_file()} == before


# ---- Leaderboards of what lies at a path: a study has one, labels of campaigns and looks only as an own analysis.


def test_a_study(tmp_path: Path) -> None:
    write_study(judged(items=20), tmp_path / "study")
    found = rank_at(tmp_path / "study", RankSettings(anchor="bee"))
    assert found.own_analysis is None
    assert found.results[0].davidson.systems[0].system == "ant"
    with pytest.raises(UsageError, match="--own-analysis is for a campaign, its export or a watched study"):
        rank_at(tmp_path / "study", own_analysis=True)
    with pytest.raises(InputError, match="no such folder"):
        rank_at(tmp_path / "nothing")


def test_a_campaign_and_its_export_need_an_own_analysis(tmp_path: Path) -> None:
    create_campaign(tmp_path / "camp", protocol_of(), study_of(items=80), at=AT)
    live = open_campaign(tmp_path / "camp")
    live.commit(lambda state, _: stopped_early(state))
    write_export(live, tmp_path / "out")
    for path, what in ((tmp_path / "camp", "a campaign"), (tmp_path / "out", "the export of a campaign")):
        with pytest.raises(UsageError, match=f"is {what}: the number of labels was chosen by looking at them"):
            rank_at(path)
        found = rank_at(path, own_analysis=True)
        assert found.own_analysis is not None
        assert sum(pair.games for pair in found.results[0].pairs) == 5  # the late labels are left out
        assert "labels-left-out" in {notice.code for notice in found.warnings}
