"""Studies on Prolific and the pay of people there, against a stand-in that speaks its protocol."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.worlds.small_campaigns import NOW, study_of
from tests.cli.campaign_commands import ok, refused
from tests.web.prolific_stand_in import TOKEN, StandIn
from tests.web.visitors import SETTINGS, Visitor

from tiebreak.campaign import LabelGiven, Preferred, Protocol, next_tasks
from tiebreak.campaign.events import CrowdStudy
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.answers import stop
from tiebreak.live.export import write_export
from tiebreak.live.links import join
from tiebreak.settings.protocol import LabelSettings
from tiebreak.web import prolific as module
from tiebreak.web.app import create_app
from tiebreak.web.site import Site

CREATE = (
    "tiebreak campaign prolific create camp --base-url https://labels.example.org --places 20 --reward 2.5 --minutes 15"
)
POST = "POST /api/v1/studies/"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in, and a campaign `camp` in the present folder, of which Prolific knows nothing yet."""
    stand_in = StandIn()
    for name, value in stand_in.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    create_campaign(Path("camp"), Protocol(labels=LabelSettings(price=0.35)), study_of(), at=NOW)
    yield stand_in
    stand_in.shutdown()
    stand_in.server_close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited before another try."""
    found: list[float] = []
    monkeypatch.setattr(module.time, "sleep", found.append)
    return found


def studies_in_log() -> list[CrowdStudy]:
    return [event for event in open_campaign(Path("camp")).events() if isinstance(event, CrowdStudy)]


# ---- studies -----------------------------------------------------------------------------------------------------


def test_a_draft_that_the_same_command_publishes(there: StandIn) -> None:
    drafted = ok(CREATE)
    study = there.study
    assert (study["status"], study["reward"], study["total_available_places"]) == ("UNPUBLISHED", 250, 20)
    assert "66.67" in drafted, "20 rewards of 2.50, and a third for Prolific"
    assert ok(f"{CREATE} --publish").index("66.67") >= 0
    assert there.study["status"] == "ACTIVE"
    ok(f"{CREATE} --publish")
    assert [there.asked.count(of) for of in (POST, f"{POST}study0/transition/")] == [1, 1]
    assert [event.study for event in studies_in_log()] == ["study0"]
    assert not [file for file in Path("camp").rglob("*") if file.is_file() and TOKEN.encode() in file.read_bytes()]


def test_its_people_go_back_with_its_codes_and_no_export_has_them(there: StandIn) -> None:
    ok(CREATE)
    site = Site(Path("camp"), SETTINGS)
    address = there.study["external_study_url"].removeprefix("https://labels.example.org")
    for name, value in (("PROLIFIC_PID", "p1"), ("SESSION_ID", "s1"), ("STUDY_ID", "study0")):
        address = address.replace(f"{{{{%{name}%}}}}", value)
    visitor = Visitor(create_app(site))
    visitor.answer(visitor.join(address), answer="First text")
    live = open_campaign(Path("camp"))
    assert (set(live.ledger.crowd_ids), [of.visit for of in live.ledger.visits.values()]) == ({"p1"}, ["s1"])
    stop(live, now=NOW)
    codes = {code["code_type"]: code["code"] for code in there.study["completion_codes"]}
    assert f'href="https://app.prolific.com/submissions/complete?cc={codes["COMPLETED"]}"' in visitor.task().text
    assert len(set(codes.values())) == 3
    write_export(open_campaign(Path("camp")), Path("out"))
    exported = Path("out/campaign/events.jsonl").read_text(encoding="utf-8")
    assert not [secret for secret in (*codes.values(), "s1", "p1", "study0") if f'"{secret}"' in exported]


def test_a_creation_whose_answer_was_lost_is_found_among_others(there: StandIn) -> None:
    for k in range(3):
        there.studies[f"other{k}"] = {"id": f"other{k}", "internal_name": None, "status": "ACTIVE"}
    there.troubles[POST] = ["lost"]
    assert "same command again" in refused(CREATE, 1)
    assert studies_in_log() == []
    ok(CREATE)
    assert (len(there.studies), there.asked.count(POST)) == (4, 1)
    assert [event.study for event in studies_in_log()] == ["study3"]


def test_what_prolific_refuses(there: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "reward: The reward is below" in refused(CREATE.replace("2.5", "1.05"), 1)
    there.troubles[POST] = [302]
    assert "302" in refused(CREATE, 1)
    assert "GET /api/v1/elsewhere/" not in there.asked, "the token goes nowhere else"
    monkeypatch.setenv("PROLIFIC_TOKEN", "tok-wr0ng")
    assert "tok-wr0ng" not in refused(CREATE, 1)
    assert there.studies == {}
    assert studies_in_log() == []


@pytest.mark.parametrize(
    ("name", "value"), [("PROLIFIC_TOKEN", ""), ("PROLIFIC_TOKEN", "a\nb"), ("PROLIFIC_URL", "http://api.example.org")]
)
def test_no_token_and_no_address_for_it(there: StandIn, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert name in refused(CREATE, 2)
    assert there.asked == []


@pytest.mark.parametrize(
    "wrong", ["--reward 2.505", "--reward 0", "--places 0", "--base-url http://labels.example.org"]
)
def test_what_no_study_can_be(there: StandIn, wrong: str) -> None:
    refused(f"{CREATE} {wrong}", 2)
    assert there.asked == []


def test_it_waits_where_prolific_is_busy_and_asks_again_what_changes_nothing(
    there: StandIn, waits: list[float]
) -> None:
    there.troubles = {POST: [429, 429], "GET /api/v1/studies/": [503, "lost"]}
    ok(CREATE)
    assert waits == [7, 2, 7, 7], "as the header says, or twice as long each time"
    assert len(there.studies) == 1


@pytest.mark.parametrize("trouble", [500, "late"])
def test_a_creation_is_never_asked_for_twice_at_once(
    there: StandIn, monkeypatch: pytest.MonkeyPatch, trouble: int | str
) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.3)
    there.troubles[POST] = [trouble]
    refused(CREATE, 1)
    assert there.asked.count(POST) == 1


def test_more_places_and_none(there: StandIn) -> None:
    assert "prolific create" in refused("tiebreak campaign prolific grow camp --places 30", 2)
    ok(f"{CREATE} --publish")
    assert "20" in refused("tiebreak campaign prolific grow camp --places 20", 2)
    assert "33.33" in ok("tiebreak campaign prolific grow camp --places 30")
    assert there.study["total_available_places"] == 30
    for _ in range(2):
        ok("tiebreak campaign prolific stop camp")
        assert there.study["status"] == "COMPLETED"


def test_messages_are_asked_for_once_and_the_secret_of_a_workspace_stays(there: StandIn) -> None:
    there.secrets = [{"id": "0", "value": "used by others", "workspace_id": "w1"}]
    for _ in range(2):
        ok(f"{CREATE} --workspace w1")
    (hook,) = there.subscriptions
    assert (hook["target_url"], hook["is_enabled"]) == ("https://labels.example.org/hooks/prolific", True)
    file = Path("camp/prolific.key")
    assert file.read_text(encoding="utf-8") == "used by others"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "used by others" not in ok("tiebreak campaign log camp")


# ---- pay ---------------------------------------------------------------------------------------------------------


def label(name: str, count: int) -> None:
    """So many labels of a person who came from Prolific as `of-NAME`."""
    live = open_campaign(Path("camp"))
    (link,) = live.ledger.links
    join(live, link, name, now=NOW, crowd_id=f"of-{name}", visit=f"visit-{name}")
    for k in range(count):
        (task,) = live.commit(lambda state, _: next_tasks(state, name, 1, NOW))
        given = LabelGiven(NOW, task.task, name, Preferred("ab"[k % 2]))  # nothing is decided by it
        live.commit(lambda _, __, given=given: (given,))


def test_pay_is_exact_to_the_cent(there: StandIn) -> None:
    ok(CREATE)
    counts = {"ann": 9, "bo": 3, "cy": 2, "di": 0, "ed": 8, "flo": 1, "gus": 1}
    for name, count in counts.items():
        label(name, count)
    states = {"ann": "AWAITING REVIEW", "bo": "AWAITING REVIEW", "cy": "RETURNED", "di": "AWAITING REVIEW",
              "ed": "APPROVED", "flo": "REJECTED"}  # fmt: skip
    names = {name: there.submit(f"of-{name}", status) for name, status in states.items()}
    there.submit("of-nobody", "AWAITING REVIEW")
    output = ok("tiebreak campaign prolific pay camp -o pay")
    files = {file.name: file.read_text(encoding="utf-8") for file in Path("pay").iterdir()}
    assert files["approve.csv"] == f"{names['ann']}\n{names['bo']}\n"
    # ann: 9 labels at 0.35 are 3.15, the reward is 2.50; bo: 1.05 is less; cy gets no reward; ed: 2.80
    bonuses = f"{names['ann']},0.65\n{names['cy']},0.70\n{names['ed']},0.30\n"
    assert files["bonus.csv"] == bonuses
    assert re.findall(r"Nothing for (\w+)", output) == ["di", "flo", "gus"]
    assert not re.search("of-|visit-|sub[0-9]", output)
    assert not [of for of in there.asked if of.startswith(("PATCH", "POST")) and "submissions" in of], "nothing is done"
    there.bonuses = {names["ann"]: [60.0, 5.0], names["cy"]: [50]}
    ok("tiebreak campaign prolific pay camp -o pay")
    assert Path("pay/bonus.csv").read_text(encoding="utf-8") == f"{names['cy']},0.20\n{names['ed']},0.30\n"


def test_nobody_is_paid_twice_for_what_they_did_once(there: StandIn) -> None:
    """At 0.35 a label and a reward of 2.50: ann has earned 3.15 in the work that was approved, and came once more; bo
    1.05, paid as a bonus of the work that he returned, and then 2.80 in all.
    """
    ok(CREATE)
    label("ann", 9)
    label("bo", 3)
    ann, bo = there.submit("of-ann", "APPROVED"), there.submit("of-bo", "RETURNED")
    ok("tiebreak campaign prolific pay camp -o pay")
    assert Path("pay/bonus.csv").read_text(encoding="utf-8") == f"{ann},0.65\n{bo},1.05\n"
    there.bonuses = {ann: [65], bo: [105]}
    there.submit("of-ann", "RETURNED")
    label("bo", 5)
    again = there.submit("of-bo", "AWAITING REVIEW")
    output = ok("tiebreak campaign prolific pay camp -o pay")
    files = {file.name: file.read_text(encoding="utf-8") for file in Path("pay").iterdir()}
    assert files == {"approve.csv": f"{again}\n", "bonus.csv": ""}
    assert "Nothing for ann: all is paid." in output


def test_earlier_work_that_waits_is_approved_too(there: StandIn) -> None:
    ok(CREATE)
    label("ann", 2)
    first = there.submit("of-ann", "AWAITING REVIEW")
    there.submit("of-ann", "RETURNED")
    ok("tiebreak campaign prolific pay camp -o pay")
    assert Path("pay/approve.csv").read_text(encoding="utf-8") == f"{first}\n"


@pytest.mark.usefixtures("there")
def test_pay_lies_outside_the_campaign() -> None:
    ok(CREATE)
    refused("tiebreak campaign prolific pay camp -o camp/pay", 2)
    assert not Path("camp/pay").exists()
