"""A campaign that is created in a browser: what is shown before, what is refused, and what is there afterwards."""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.worlds.small_campaigns import NOW
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.web.test_security import unsafe
from tests.web.visitors import SETTINGS, Page, Visitor, ticket_in

from tiebreak.live import open_campaign
from tiebreak.live.links import issue_link, owner_secret, web_key
from tiebreak.web.creation import MOST_UPLOADED, Creation
from tiebreak.web.guards import MOST_BYTES
from tiebreak.web.site import Site

OUTPUTS = "item,system,text\n" + "".join(f"i{k},{s},{s} says {k}\n" for k in range(60) for s in ("ant", "bee"))
ORIGIN = {"origin": "http://127.0.0.1:8765"}
XSS = "<script>alert(1)</script>"


class Maker:
    """The owner's browser, before there is a campaign."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sites = folder, list[Site]()
        self.creation = Creation(folder, SETTINGS, self.sites.append)
        self.client = TestClient(self.creation, base_url="http://127.0.0.1:8765", raise_server_exceptions=False)

    def enter(self) -> None:
        """By the owner's link."""
        assert self.get(f"/o/{self.creation.secret}").status == 200

    def get(self, path: str) -> Page:
        answer = self.client.get(path)
        return Page(answer.status_code, str(answer.url), answer.text)

    def check(self, *files: tuple[str, str | bytes], protocol: str | None = None, **fields: object) -> Page:
        """Send the form with these files; fields by their names, with __ for a point."""
        sent = [("tables", file) for file in files]
        sent += [("protocol", ("p.toml", protocol))] if protocol is not None else []
        data = {name.replace("__", "."): value for name, value in fields.items()}
        data.setdefault("ticket", ticket_in(self.get("/owner").text))
        answer = self.client.post("/owner/check", data=data, files=sent or [("tables", ("", b""))], headers=ORIGIN)
        return Page(answer.status_code, str(answer.url), answer.text)

    def create(self, ticket: str) -> Page:
        answer = self.client.post("/owner/create", data={"ticket": ticket}, headers=ORIGIN)
        return Page(answer.status_code, str(answer.url), answer.text)


@pytest.fixture
def maker(tmp_path: Path) -> Iterator[Maker]:
    made = Maker(tmp_path / "camp")
    with made.client:
        yield made


@pytest.fixture
def owner(maker: Maker) -> Maker:
    maker.enter()
    return maker


def test_from_tables_to_the_dashboard_and_to_annotators(owner: Maker) -> None:
    page = owner.check(
        ("outputs.csv", OUTPUTS), ("items.csv", "item,input\ni1,hello\n"),
        question="Which is kinder?", labels__price="0.25", labels__ties="no-ties", budget__max_labels="40",
        decision__margin="0.3", instructions="Be fair.",
    )  # fmt: skip
    assert "camp: a campaign with 2 systems, 1 pair, 60 items" in page.words
    assert "Which is kinder? (First text / Second text)" in page.words
    assert "At most 40 labels, $10.00 (the budget)" in page.words
    assert not owner.folder.exists(), "nothing is written before"
    assert "0 of 1 pair decided" in owner.create(page.ticket).words
    live = open_campaign(owner.folder)
    said = live.protocol
    assert (said.question, said.instructions, said.labels.price, said.labels.ties) == (
        "Which is kinder?", "Be fair.", 0.25, False,
    )  # fmt: skip
    assert (said.budget.max_labels, said.decision.margin) == (40, 0.3)
    assert live.study.items is not None
    assert len(owner.sites) == 1, "the command is told"
    assert owner_secret(web_key(owner.folder)) == owner.creation.secret, "the link that was printed stays"
    assert owner.get("/owner").status == 200, "and so does the cookie"
    assert "Saved" in label_of_ann(owner).words


def label_of_ann(maker: Maker) -> Page:
    ann = Visitor(maker.creation)  # type: ignore[arg-type]
    ann.join(f"/a/{issue_link(open_campaign(maker.folder), now=NOW, annotator='ann')}")
    return ann.answer(ann.task(), answer="First text")


def test_nothing_that_was_uploaded_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, ends in (("made", True), ("left", False)):
        maker = Maker(tmp_path / name)
        with maker.client:
            maker.enter()
            page = maker.check(("outputs.csv", OUTPUTS))
            assert len([*tmp_path.rglob("outputs.csv")]) == 1 + (name == "left")
            if ends:
                maker.create(page.ticket)
                label_of_ann(maker)
                assert [*tmp_path.rglob("outputs.csv")] == [tmp_path / "made" / "study" / "outputs.csv"]
        assert {path.name for path in tmp_path.iterdir()} == {"made"}
    assert open_campaign(tmp_path / "made").state.labels == 1, "held answers become labels when the server ends"


def test_back_keeps_what_was_chosen_and_uploaded(owner: Maker) -> None:
    owner.check(("outputs.csv", OUTPUTS), question="Which?", labels__kind="preference", rate="")
    page = owner.get("/owner")
    assert 'value="Which?"' in page.text
    assert '<option value="preference" selected>' in page.text
    assert 'name="without" value="outputs.csv"' in page.text
    shorter = OUTPUTS.replace("i59", "i58b")
    assert "60 items" in owner.check(("outputs.csv", shorter)).words, "a table takes the place of an earlier one"
    lines = "".join(f'{{"item": "i{k}", "system": "{s}", "text": "{s}{k}"}}\n' for k in range(50) for s in ("x", "y"))
    assert "50 items" in owner.check(("outputs.jsonl", lines)).words, "of whatever format"
    assert owner.check(without=["outputs.jsonl"]).status == 422
    assert 'name="without"' not in owner.get("/owner").text


GOOD = ("outputs.csv", OUTPUTS)
WRONG = (
    ((), {}, ["study: no study here: a study folder needs outputs"]),
    (
        (("outputs.csv", "item,system,text\ni1,,x\n,ant,y\n"),),
        {},
        ["outputs.csv, line 2, column system", "outputs.csv, line 3, column item"],
    ),
    ((GOOD, ("answers.csv", OUTPUTS)), {}, ["beside answers.csv there are tables of a study"]),
    ((("a.csv", OUTPUTS.replace("text\n", "beauty\n")),), {}, ["a.csv", "column beauty (ant says 0"]),
    ((("a.xlsx", b"PK\x03\x04 broken"),), {}, ["a.xlsx"]),
    ((GOOD,), {"labels__price": "0,25"}, ["Price per label 0,25: write a number with a point"]),
    ((GOOD,), {"budget__max_labels": "many"}, ["Most labels in all many: write a whole number"]),
    ((GOOD,), {"rate": "fluency"}, ["criteria of ratings 'fluency' has no scale"]),
    ((GOOD,), {"rate": "fluency=1:5"}, ["such as 0.2 (“"]),
    ((GOOD,), {"ratings__half_width": "0.3"}, ["say what is rated (criteria of ratings fluency=1:5"]),
    ((GOOD,), {"protocol": "[labels]\nprise = 1\n"}, ["protocol.toml", "price"]),
)


@pytest.mark.parametrize(("files", "fields", "messages"), WRONG)
def test_what_is_wrong_comes_back_on_the_form(
    owner: Maker, files: tuple[tuple[str, str], ...], fields: dict[str, str], messages: list[str]
) -> None:
    page = owner.check(*files, **fields)  # type: ignore[arg-type]
    assert page.status == 422
    for message in messages:
        assert message in page.words
    assert tempfile.gettempdir() not in page.text
    assert not owner.folder.exists()


def test_a_protocol_that_comes_with_the_program(owner: Maker) -> None:
    page = owner.check(("outputs.csv", OUTPUTS), named="naturalness", labels__price="0.1")
    owner.create(page.ticket)
    said = open_campaign(owner.folder).protocol
    assert ("natural" in said.question, said.labels.ties, said.labels.price) == (True, False, 0.1)


def test_a_protocol_file_and_ratings(owner: Maker) -> None:
    page = owner.check(
        ("outputs.csv", OUTPUTS), protocol='question = "How fluent?"\n[labels]\nprice = 2\n', labels__price="0.5",
        rate="fluency=1:5\n", ratings__half_width="0.3",
    )  # fmt: skip
    assert "a campaign of ratings with 2 systems" in page.words
    owner.create(page.ticket)
    said = open_campaign(owner.folder).protocol
    assert (said.question, said.labels.price, said.ratings.criteria[0].name) == ("How fluent?", 0.5, "fluency")


@pytest.mark.parametrize(
    "name", ["../outputs.csv", "/etc/outputs.csv", "..\\outputs.csv", "outputs.csv\0", "web.key", XSS]
)
def test_names_of_files_are_no_paths(owner: Maker, name: str, tmp_path: Path) -> None:
    uploads = Path(owner.creation._uploads.name)
    before = set(tmp_path.rglob("*"))
    page = owner.check((name, OUTPUTS))
    assert page.status in (200, 422)
    assert unsafe(page.text) == []
    assert set(tmp_path.rglob("*")) == before
    (stored,) = (path for path in uploads.rglob("*") if path.is_file())
    assert stored.parent.parent == uploads
    assert owner.check(without=[stored.name]).status == 422
    assert not stored.exists()


def test_other_files_are_read_as_import_reads_them(owner: Maker) -> None:
    rows = "".join(f"Question {k}?;Yes {k};No {k}\n" for k in range(40))
    files = (("my answers.csv", f"Frage;ant;bee\n{rows}"), ("answers.toml", '[fields]\ninput = "Frage"\n'))
    page = owner.check(*files)
    assert page.status == 422, "nothing says what the other columns are"
    assert "column ant" in page.words
    recipe = '[fields]\ninput = "Frage"\ntext = "{system}"\n'
    page = owner.check(("answers.toml", recipe))
    assert "a campaign with 2 systems, 1 pair, 40 items" in page.words
    owner.create(page.ticket)
    assert open_campaign(owner.folder).study.systems == ("ant", "bee")


def test_what_people_write_is_no_markup(owner: Maker) -> None:
    fields = {"question": XSS, "instructions": XSS, "labels.currency": XSS, "rate": XSS, "labels.price": XSS}
    page = owner.check(("outputs.csv", OUTPUTS.replace("ant,", f"{XSS},")), **fields)
    assert page.status == 422
    assert html.escape(XSS) in page.text
    assert unsafe(page.text) == unsafe(owner.get("/owner").text) == []
    shown = owner.check(("outputs.csv", OUTPUTS), question=XSS)
    assert XSS in shown.words
    assert unsafe(shown.text) == []


# ---- who may, and when -------------------------------------------------------------------------------------------


def test_nobody_without_the_link_gets_in(maker: Maker) -> None:
    for route in maker.creation.own.routes:
        path = re.sub(r"{\w+}", "stop", getattr(route, "path", ""))
        for method in getattr(route, "methods", None) or {"GET"}:
            answer = maker.client.request(
                method, path, data={"ticket": "x"}, files={"tables": ("outputs.csv", OUTPUTS)}
            )
            assert answer.status_code in ((200,) if path in ("/", "/health") else (403, 404, 405)), (method, path)
    assert maker.get(f"/o/{'0' * 64}").status == 404
    maker.enter()
    assert maker.get("/owner").status == 200
    assert maker.creation.secret not in maker.get("/owner").text


@given(
    path=st.sampled_from(["/owner/check", "/owner/create"]),
    data=st.dictionaries(st.sampled_from(["ticket", "question", "rate", "without"]) | st.text(), st.text(max_size=30)),
    upload=st.booleans(),
)
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_form_without_a_ticket_does_anything(maker: Maker, path: str, data: dict[str, str], upload: bool) -> None:
    maker.enter()
    page = maker.check(("outputs.csv", OUTPUTS))
    files = [("tables", ("outputs.csv", "nonsense"))] if upload else None
    answer = maker.client.post(path, data=data, files=files, headers=ORIGIN)
    assert answer.status_code in (400, 403, 415)
    assert not maker.folder.exists()
    again = maker.check()
    assert again.words == page.words, "the tables are those from before"


def test_forms_of_other_sites_and_old_forms(owner: Maker) -> None:
    first = owner.check(("outputs.csv", OUTPUTS), question="First?")
    ticket = ticket_in(owner.get("/owner").text)
    for origin in ("http://evil.example", "null"):
        for path in ("/owner/check", "/owner/create"):
            answer = owner.client.post(path, data={"ticket": ticket}, headers={"origin": origin})
            assert answer.status_code == 403
    second = owner.check(question="Second?")
    assert "First?" not in owner.create(first.ticket).words, "what is created is what was looked at last"
    assert not owner.folder.exists()
    assert owner.create(ticket).url.endswith("/owner")
    assert not owner.folder.exists(), "a form for files is none for the campaign"
    owner.create(second.ticket)
    head = str(open_campaign(owner.folder).head)
    assert owner.create(second.ticket).status in (403, 404, 405), "and it is created once"
    assert str(open_campaign(owner.folder).head) == head
    assert open_campaign(owner.folder).protocol.question == "Second?"


def test_a_folder_that_came_from_elsewhere_meanwhile_stays(owner: Maker) -> None:
    page = owner.check(("outputs.csv", OUTPUTS))
    owner.folder.mkdir()
    assert "exists already" in owner.create(page.ticket).words
    assert [*owner.folder.iterdir()] == []


def test_sizes(owner: Maker) -> None:
    ticket = ticket_in(owner.get("/owner").text)
    for size, data, files in (
        (MOST_UPLOADED + 1, None, {"tables": ("outputs.csv", "x")}),
        (MOST_BYTES + 1, {"ticket": ticket}, None),
        (None, {"ticket": ticket}, {"tables": ("outputs.csv", "x")}),
    ):
        request = owner.client.build_request("POST", "/owner/check", data=data, files=files, headers=ORIGIN)
        if size is None:
            del request.headers["content-length"]
        else:
            request.headers["content-length"] = str(size)
        assert owner.client.send(request).status_code == 413
    large = OUTPUTS + f"i1,ant,{'x' * MOST_BYTES}\n"
    assert owner.check(("outputs.csv", large)).status == 422, "read, and found to repeat a row"
    many = [(f"outputs-{k}.csv", "x") for k in range(100)]
    assert owner.check(*many).status == 400
