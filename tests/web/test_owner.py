"""What the owner sees and does."""

from __future__ import annotations

import io
import re
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.worlds.rating_campaigns import rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from starlette.responses import Response
from tests.web.visitors import SETTINGS, Page, Served, Visitor

from tiebreak.campaign.events import InstructionsChanged
from tiebreak.data.readers import read_study
from tiebreak.errors import UsageError
from tiebreak.live.accounts import accounts
from tiebreak.live.export import write_export
from tiebreak.live.links import digest_of, issue_link, join
from tiebreak.live.result import result_of
from tiebreak.places import result_at
from tiebreak.settings.protocol import Budget, LabelSettings, PairSettings
from tiebreak.sheets.handing_out import hand_out
from tiebreak.web.app import create_app
from tiebreak.web.site import Site


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path / "camp", protocol_of(labels=LabelSettings(price=0.25)))


def do(owner: Visitor, action: str, **fields: str) -> Page:
    return owner.post(f"/owner/{action}", {"ticket": owner.get("/owner").ticket, **fields})


def test_how_it_stands(served: Served) -> None:
    ann = served.person("ann")
    for _ in range(6):
        page = ann.task()
        ann.answer(page, answer="First text" if page.shown[0].startswith("ant") else "Second text")
    words = served.owner().get("/owner").words
    assert "5 labels so far" in words
    assert "may be taken back 1" in words
    assert "$1.25" in words
    assert "ant ? bee" in words
    assert re.search(r"ann 5 2 ", words), "labels and open tasks of each person"
    report = served.owner().get("/owner/report")
    assert report.status == 200
    assert "<svg" in report.text


def test_who_is_active_how_far_pairs_are_and_what_an_hour_pays(served: Served) -> None:
    """25 cents for answers that take a tenth of a second."""
    served.app = create_app(Site(served.folder, replace(SETTINGS, least_pay=1e6)))
    owner = served.owner()
    assert "active just now 0" in owner.get("/owner").words
    ann = served.person("ann")
    for _ in range(3):
        page = ann.task()
        time.sleep(0.1)
        ann.answer(page, answer="First text")
    page = owner.get("/owner")
    assert "active just now 1" in page.words
    assert "less than $1,000,000" in page.words
    assert "/owner/learning.png" in page.text
    picture = owner.client.get("/owner/learning.png")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert picture.content.startswith(b"\x89PNG")


def test_ratings_have_no_curve(tmp_path: Path) -> None:
    owner = Served(tmp_path / "camp", rating_protocol(), rated_study()).owner()
    assert "learning.png" not in owner.get("/owner").text
    assert owner.get("/owner/learning.png").status == 404


def test_an_export_to_take_along(served: Served, tmp_path: Path) -> None:
    owner, ann = served.owner(), served.person("ann")
    assert owner.get("/owner/export.zip").status == 404, "nothing yet"
    for _ in range(3):
        ann.answer(ann.task(), answer="First text")
    answer = owner.client.get("/owner/export.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path / "out")
    study = read_study(tmp_path / "out")
    assert study.preferences["annotator"].unique().to_list() == ["person-1"]


def test_a_preview_stores_nothing(served: Served) -> None:
    owner, before = served.owner(), str(served.live.head)
    page = owner.get("/owner/preview")
    assert "A preview: nothing is stored" in page.words
    assert len(page.shown) == 2
    assert "not an answer" in owner.post("/owner/preview?after=0", {"answer:answer": "x"}).words
    after = owner.post("/owner/preview?after=0", {"answer:answer": "First text"})
    assert after.url.endswith("after=1")
    assert after.shown != page.shown
    for odd in ("x", "-1", "99999", "1e3", "٣"):
        assert owner.get(f"/owner/preview?after={odd}").status in (200, 404)
    assert str(served.live.head) == before


def test_pause_go_on_and_stop(served: Served) -> None:
    owner = served.owner()
    assert "nobody gets a task" in do(owner, "pause").words
    assert served.live.state.paused
    assert "It was so already." in do(owner, "pause").words
    do(owner, "resume")
    assert not served.live.state.paused
    page = do(owner, "stop", reason="enough")
    assert "Stopped" in page.words
    assert (served.live.state.ended, served.live.stop_reason) == ("stopped", "enough")


def test_links_are_made_shown_once_and_revoked(served: Served) -> None:
    owner = served.owner()
    made = do(owner, "invite", annotator="ann")
    link = re.search(r"http://127\.0\.0\.1:8765(/a/\S+)", made.words)
    visitor = Visitor(served.app)
    assert visitor.join(link[1]).status == 200
    assert link[1] not in owner.get("/owner").words
    shown = next(iter(served.live.ledger.links))[:12]
    assert f"{shown} ann ann" in owner.get("/owner").words, "for whom, and who joined"
    do(owner, "revoke", link=shown)
    assert visitor.task().status == 403


def test_a_further_owner_until_the_link_is_revoked(served: Served) -> None:
    first, second = served.owner(), Visitor(served.app)
    link = re.search(r"http://127\.0\.0\.1:8765(/o/\S+)", do(first, "invite-owner").words)
    assert second.get(link[1]).status == 200
    do(second, "pause")
    assert served.live.state.paused
    page, (shown,) = second.get("/owner"), [digest[:12] for digest in served.live.ledger.links]
    assert f"{shown} an owner" in page.words
    assert first.post("/owner/resume", {"ticket": page.ticket}).status == 403, "the form of another owner"
    do(first, "revoke", link=shown)
    for path in ("/owner", "/owner/preview", "/owner/report", "/owner/export.zip"):
        assert second.get(path).status == 403
    assert second.post("/owner/resume", {"ticket": page.ticket}).status == 403
    assert Visitor(served.app).get(link[1]).status == 404
    assert served.live.state.paused
    assert first.get("/owner").status == 200


def test_a_link_opens_the_pages_that_it_was_made_for(served: Served) -> None:
    secrets = {role: issue_link(served.live, now=NOW, role=role) for role in ("annotator", "owner")}
    assert Visitor(served.app).get(f"/o/{secrets['annotator']}").status == 404
    assert Visitor(served.app).get(f"/a/{secrets['owner']}").status == 404
    with pytest.raises(UsageError, match="does not work any more"):
        join(served.live, digest_of(secrets["owner"]), "mallory", now=NOW)
    for annotator, most in (("ann", 1), ("", 2)):
        with pytest.raises(UsageError, match="a link is for"):
            issue_link(served.live, now=NOW, annotator=annotator, most=most, role="owner")
    forged = Visitor(served.app)
    site = Site(served.folder, SETTINGS)
    for value in ("owner", "", digest_of(secrets["annotator"]), secrets["owner"]):
        response = Response()
        site.remember(response, "owner", value)  # what only the key can sign names no owner either
        forged.client.headers["cookie"] = response.headers["set-cookie"].partition(";")[0]
        assert forged.get("/owner").status == 403


@pytest.mark.parametrize(
    ("action", "fields", "message"),
    [
        ("invite", {"most": "0"}, "the number of people must be from 1 to 10,000"),
        ("invite", {"most": "many"}, "the number of people must be from 1 to 10,000"),
        ("revoke", {"link": "ffff"}, "no link of this campaign begins with"),
        ("revoke", {"link": ""}, "no link of this campaign begins with"),
        ("exclude", {"annotator": "nobody"}, "nobody called 'nobody' has had a task"),
    ],
)
def test_what_cannot_be_done_is_said(served: Served, action: str, fields: dict[str, str], message: str) -> None:
    assert message in do(served.owner(), action, **fields).words


def test_why_people_skip(served: Served) -> None:
    ann = served.person("ann")
    for reason in ("unclear", "language", "unclear"):
        ann.post("/skip", {"ticket": ann.task().ticket, "reason": reason})
    assert "Skipped tasks The task is not clear: 2 I do not know the language: 1" in served.owner().get("/owner").words


def test_signals_and_days_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(tmp_path / "camp", protocol_of(pairs=PairSettings(batch=5)), study_of(items=60))
    ann = served.person("ann")
    assert "days to the end —" in served.owner().get("/owner").words
    for k in range(12):
        page, when = ann.task(), f"2026-05-01T{k:02d}:00:00Z"
        monkeypatch.setattr("tiebreak.web.annotator.now", lambda when=when: when)
        better = "First text" if page.shown[0].startswith("ant") and k % 4 else "Second text"
        ann.post("/task", {"ticket": page.ticket, "answer:answer": better, "left": str(k % 2), "pasted": "x"})
    monkeypatch.setattr("tiebreak.web.owner.now", lambda: "2026-05-01T12:00:00Z")
    (person,) = result_of(served.live).campaign.people  # type: ignore[union-attr]
    assert (person.left_page, person.pasted) == (5, 0), "the last answer is no label yet"
    to_go = result_of(served.live).campaign.labels_to_decision  # type: ignore[union-attr]
    (days,) = re.findall(r"days to the end ([\d.]+)", served.owner().get("/owner").words)
    assert to_go
    assert float(days) == pytest.approx(to_go / 24, abs=0.1)


def test_instructions_are_changed_and_the_log_keeps_when(served: Served) -> None:
    ann, owner = served.person("ann"), served.owner()
    assert "Be fair" not in ann.task().text
    assert "Annotators read these instructions" in do(owner, "instructions", instructions="Be fair <b>").words
    assert "Be fair &lt;b&gt;" in ann.task().text
    assert "It was so already." in do(owner, "instructions", instructions="Be fair <b>").words
    assert "have at most 20,000" in do(owner, "instructions", instructions="x" * 20_001).words
    sheet = hand_out(served.live, "bo", 2, now=NOW, ending=".csv").content
    assert sheet.instructions == "Be fair <b>"
    (event,) = [of for of in served.live.events() if isinstance(of, InstructionsChanged)]
    assert event.instructions == "Be fair <b>"
    do(owner, "stop")
    assert 'name="instructions"' not in owner.get("/owner").text


def test_the_price_of_labels_to_come(served: Served, tmp_path: Path) -> None:
    ann, owner = served.person("ann"), served.owner()
    ann.answer(ann.task(), answer="First text")
    out = ann.task()
    assert "paid at this price from now on" in do(owner, "price", price=" 0.5 ").words
    assert "It was so already" in do(owner, "price", price="0.5").words
    for wrong in ("", "-1", "0,5", "nan", "1e300"):
        assert "price" in do(owner, "price", price=wrong).words
    for page in (out, None):
        ann.answer(page or ann.task(), answer="Second text")
    do(owner, "stop")
    assert served.live.state.cost == 0.25 + 0.25 + 0.5
    assert accounts(served.live)[0].pay == 1.0
    assert "spent $1.00" in owner.get("/owner").words
    write_export(served.live, tmp_path / "out")
    assert read_study(tmp_path / "out").settings.price_per_label == 0.5
    assert result_at(tmp_path / "out").campaign.cost == 1.0  # type: ignore[union-attr]
    assert 'name="price"' not in owner.get("/owner").text
    unpaid = Served(tmp_path / "unpaid")
    assert "have no price" in do(unpaid.owner(), "price", price="1").words
    assert unpaid.live.state.price is None


def test_a_price_at_which_nothing_could_be_paid_is_refused(tmp_path: Path) -> None:
    """It would end the campaign for good."""
    protocol = protocol_of(labels=LabelSettings(price=0.1), budget=Budget(max_money=6))
    served = Served(tmp_path / "camp", protocol)
    owner = served.owner()
    assert "pays for no further item" in do(owner, "price", price="90").words
    assert (served.live.state.price, served.live.state.ended) == (0.1, None)
    assert "The budget pays for 30 more labels." in do(owner, "price", price="0.2").words


def test_an_excluded_person_gets_no_more_tasks(served: Served) -> None:
    ann = served.person("ann")
    page = ann.task()
    assert "ann gets no more tasks" in do(served.owner(), "exclude", annotator="ann").words
    after = ann.answer(page, answer="First text")
    assert "There are no more tasks for you" in after.words
    assert len(served.answers()) == 1, "what was before them still counts"


def test_ratings(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", rating_protocol(), rated_study())
    ann = served.person("ann")
    for _ in range(4):
        ann.answer(ann.task(), clear="4")
    words = served.owner().get("/owner").words
    assert "0 of 2 means known" in words
    assert "ant clear" in words
