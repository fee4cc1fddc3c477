"""Forged, repeated, foreign and malformed requests change nothing; nothing that people wrote runs in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from benchmarks.worlds.small_campaigns import NOW, study_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.web.visitors import SETTINGS, Served, Visitor

from tiebreak.campaign import Protocol
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.live.links import KEY_FILE, issue_link, link_of, open_link_secret, owner_secret, web_key
from tiebreak.web.app import create_app
from tiebreak.web.guards import MOST_BYTES, Attempts
from tiebreak.web.settings import HOOK_PATH, ServeSettings
from tiebreak.web.site import Site

ACTIONS = ("stop", "pause", "invite", "invite-owner", "exclude", "revoke", "price", "instructions")
XSS = "<script>alert(1)</script><img src=x onerror=alert(1)>\" onmouseover='x' {{ 7*7 }} javascript:alert(1)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("web") / "camp")


def routes(served: Served) -> Iterator[tuple[str, str]]:
    for route in served.app.routes:
        for method in sorted(getattr(route, "methods", None) or {"GET"}):
            path = re.sub(r"{\w+}", "stop", getattr(route, "path", ""))
            yield method, "/static/style.css" if path == "/static" else path


def head(served: Served) -> str:
    return str(served.live.head)


# ---- who may do what ---------------------------------------------------------------------------------------------


def test_every_route_without_a_link_changes_nothing(served: Served) -> None:
    before = head(served)
    for method, path in routes(served):
        answer = Visitor(served.app, follow=False).client.request(method, path, data={"ticket": "x"})
        refused = (415,) if path == HOOK_PATH else (403, 404, 405)
        assert answer.status_code in (200, 303, *refused), (method, path, answer.status_code)
        assert answer.status_code != 200 or path in ("/", "/health", "/static/style.css"), path
    assert head(served) == before


@given(
    path=st.sampled_from(["/task", "/skip", "/join", *(f"/owner/{action}" for action in ACTIONS)]),
    data=st.dictionaries(
        st.sampled_from(["ticket", "answer:answer", "reason", "seconds", "comment", "annotator", "link", "most"])
        | st.text(),
        st.text(max_size=30),
        max_size=5,
    ),
)
@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_form_without_a_ticket_changes_anything(served: Served, path: str, data: dict[str, str]) -> None:
    visitor = served_person(served)
    before = head(served)
    assert visitor.post(path, data).status in (403, 415)
    assert head(served) == before


_PEOPLE: dict[Path, Visitor] = {}


def served_person(served: Served) -> Visitor:
    if served.folder not in _PEOPLE:
        _PEOPLE[served.folder] = served.person("mallory")
    return _PEOPLE[served.folder]


def test_nobody_answers_the_task_of_somebody_else(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp")
    ann, mallory = served.person("ann"), served.person("mallory")
    page = ann.task()
    mallory.task()
    between = head(served)
    assert mallory.post("/task", {"ticket": page.ticket, "answer:answer": "First text"}).status == 403
    assert mallory.post("/skip", {"ticket": page.ticket, "reason": "language"}).status == 403
    assert head(served) == between


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: f"{t}x", lambda t: t.swapcase(), lambda _: ""])
def test_a_ticket_that_was_changed(served: Served, change: object) -> None:
    visitor = served_person(served)
    page = visitor.task()
    before = head(served)
    ticket = change(page.ticket)  # type: ignore[operator]
    assert visitor.post("/task", {"ticket": ticket, "answer:answer": "First text"}).status == 403
    assert head(served) == before


def test_a_cookie_that_was_changed_or_is_of_another_campaign(served: Served, tmp_path: Path) -> None:
    visitor = served_person(served)
    other = Visitor(Served(tmp_path / "other", Protocol(question="Other?")).app)
    for name, value in visitor.client.cookies.items():
        other.client.cookies.set(name, value)
    assert other.get("/task").status == 403
    forged = Visitor(served.app)
    for name, value in visitor.client.cookies.items():
        forged.client.cookies.set(name, value[:-2] + "xx")
    assert forged.get("/task").status == 403


def test_an_annotator_is_no_owner(served: Served) -> None:
    visitor, before = served_person(served), head(served)
    assert visitor.get("/owner").status == 403
    ticket = visitor.task().ticket
    for action in ACTIONS:
        assert visitor.post(f"/owner/{action}", {"ticket": ticket}).status == 403
    assert head(served) == before
    assert Visitor(served.app).get(f"/o/{'0' * 64}").status == 404


def test_forms_from_other_sites_are_refused(served: Served) -> None:
    visitor = served_person(served)
    page = visitor.task()
    before, data = head(served), {"ticket": page.ticket, "answer:answer": "First text"}
    for origin in ("http://evil.example", "null", "http://127.0.0.1:8766", "https://127.0.0.1:8765"):
        assert visitor.post("/task", data, origin=origin).status == 403
    answer = visitor.client.post("/task", data=data, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 403
    assert head(served) == before


# ---- what stands in pages ----------------------------------------------------------------------------------------


def test_headers_of_every_answer(served: Served) -> None:
    for path in ("/", "/nowhere", "/static/task.js", "/task", "/owner"):
        headers = Visitor(served.app).client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert (headers.get("cache-control") == "no-store") == (not path.startswith("/static"))
        assert "access-control-allow-origin" not in headers


def test_cookies_cannot_be_read_by_scripts(served: Served) -> None:
    for base, secure in ((None, False), ("https://labels.example.org", True)):
        app = create_app(Site(served.folder, ServeSettings(base_url=base)))
        client = Visitor(app, follow=False).client
        client.headers["host"] = "labels.example.org" if secure else "127.0.0.1:8765"
        set_cookie = client.get(served.link("zoe" if secure else "zed")).headers["set-cookie"]
        assert "HttpOnly" in set_cookie
        assert "SameSite=lax" in set_cookie
        assert ("Secure" in set_cookie) == secure


def test_nothing_that_people_wrote_is_markup(tmp_path: Path) -> None:
    outputs = [{"item": f"i{k}", "system": s, "text": f"{XSS} {s} {k}"} for k in range(30) for s in ("ant", "bee")]
    study = Study.from_tables(outputs=outputs, items=[{"item": f"i{k}", "input": XSS} for k in range(30)])
    served = Served(tmp_path / "camp", Protocol(question=XSS, instructions=XSS), study)
    visitor = served.person(XSS)
    page = visitor.task()
    posted = visitor.post("/task", {"ticket": page.ticket, "answer:answer": XSS, "comment": XSS, "seconds": XSS})
    visitor.post("/task", {"ticket": page.ticket, "answer:answer": "First text", "comment": XSS})
    owner = served.owner()
    dashboard = owner.get("/owner")
    told = owner.post("/owner/exclude", {"ticket": dashboard.ticket, "annotator": XSS + "x"})
    made = owner.post("/owner/invite", {"ticket": dashboard.ticket, "annotator": XSS, "most": "1"})
    report = owner.get("/owner/report")
    reflected = [visitor.get(f"/task?saved={XSS}"), visitor.get(f"/a/{XSS}"), owner.get(f"/owner/{XSS}")]
    for shown in (page, posted, dashboard, told, made, *reflected):
        assert unsafe(shown.text) == []
    assert "<script>alert" not in report.text
    assert posted.status == 422


class _Unsafe(HTMLParser):
    """Collects what would run, or change how a page looks, from within a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        own = (tag, names.get("src")) in (("script", "/static/task.js"), ("img", "/owner/learning.png"))
        if (tag in ("script", "style", "img", "iframe", "base", "object") and not own) or any(
            name.startswith("on") or name == "style" or (value or "").lower().startswith("javascript:")
            for name, value in names.items()
            if name in ("href", "src", "action", "style") or name.startswith("on")
        ):
            self.found.append(self.get_starttag_text() or tag)


def unsafe(page: str) -> list[str]:
    parser = _Unsafe()
    parser.feed(page)
    return parser.found


def test_scripts_and_styles_are_files(served: Served) -> None:
    page = served_person(served).task()
    assert re.findall(r"<script[^>]*>", page.text) == ['<script type="module" src="/static/task.js">']
    assert unsafe(page.text) == []


def test_no_secret_is_in_the_log_or_on_a_page(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp")
    secret = issue_link(served.live, now=NOW)
    key = web_key(served.folder)
    stored = (served.folder / "events.sqlite").read_bytes()
    for hidden in (secret.encode(), key.hex().encode(), owner_secret(key).encode()):
        assert hidden not in stored
    assert (served.folder / KEY_FILE).stat().st_mode & 0o077 == 0
    assert secret not in served.owner().get("/owner").text
    assert link_of(served.live.ledger, secret) is not None
    assert web_key(served.folder) == key, "made once"


# ---- limits ------------------------------------------------------------------------------------------------------


def test_answers_that_are_too_long(served: Served) -> None:
    visitor = served_person(served)
    page, before = visitor.task(), head(served)
    data = {"ticket": page.ticket, "answer:answer": "x" * (MOST_BYTES + 1)}
    assert visitor.post("/task", data).status == 413
    assert head(served) == before


def test_links_are_not_found_by_trying() -> None:
    clock = [0.0]
    attempts = Attempts(3, 60.0, lambda: clock[0])
    for _ in range(3):
        assert not attempts.too_many("x")
        attempts.failed("x")
    assert attempts.too_many("x")
    assert not attempts.too_many("y")
    clock[0] = 61.0
    assert not attempts.too_many("x")


def test_too_many_tries_of_links(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp")
    visitor = Visitor(served.app)
    assert {visitor.get(f"/a/{k}").status for k in range(20)} == {404}
    assert visitor.get("/a/x").status == 429
    assert visitor.get(served.link()).status == 429, "a right one, too, until a minute has passed"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8765", ""])
def test_requests_for_other_hosts_are_refused(served: Served, host: str) -> None:
    assert Visitor(served.app).client.get("/", headers={"host": host}).status_code == 400


@pytest.mark.parametrize(
    "address", ["labels.example.org", "ftp://x", "https://", "https://user@x", "https://x/?y", "mail me"]
)
def test_addresses_that_are_none(address: str) -> None:
    for name in ("base_url",) if " " not in address else ("base_url", "webhook"):
        with pytest.raises(UsageError, match="is no address such as"):
            ServeSettings(**{name: address})  # type: ignore[arg-type]


def test_addresses() -> None:
    assert SETTINGS.address == "http://127.0.0.1:8765"
    assert ServeSettings(host="::1", port=80).address == "http://[::1]:80"
    behind = ServeSettings(base_url="https://labels.example.org/t/")
    assert (behind.address, behind.origin, behind.path) == (
        "https://labels.example.org/t", "https://labels.example.org", "/t",
    )  # fmt: skip
    assert not ServeSettings(host="0.0.0.0").is_loopback


def test_addresses_are_compared_as_browsers_send_them(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp")
    for base, host, origin in (
        ("https://Labels.Example.org:443/", "labels.example.org", "https://labels.example.org"),
        ("https://bücher.example", "xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        (None, "[::1]:8765", "http://[::1]:8765"),
    ):
        visitor = Visitor(create_app(Site(served.folder, ServeSettings(base_url=base))))
        visitor.client.base_url = origin
        visitor.client.headers["host"] = host
        page = visitor.get(served.link())
        assert page.status == 200, base
        assert visitor.post("/join", {"ticket": page.ticket}, origin=origin).status == 200, base


def test_two_campaigns_of_one_protocol_keep_their_people_apart(tmp_path: Path) -> None:
    one, other = Served(tmp_path / "one"), Served(tmp_path / "other")
    visitor = one.person("ann")
    second = Visitor(other.app)
    second.client.cookies.update(visitor.client.cookies)
    second.join(other.link("bo"))
    visitor.client.cookies.update(second.client.cookies)
    assert visitor.task().status == 200, "both in one browser"


def test_the_open_link_is_the_same_at_every_start(tmp_path: Path) -> None:
    served = Served(tmp_path / "camp", study=study_of())
    key = web_key(served.folder)
    first = open_link_secret(served.live, key, now=NOW, most=5)
    assert first == open_link_secret(served.live, key, now=NOW, most=9) is not None
    assert [link.issued.most for link in served.live.ledger.links.values()] == [5]
