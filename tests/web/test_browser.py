"""The pages in a real browser: keys, a phone, no network for a while, and without a finding of axe."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from benchmarks.worlds.rating_campaigns import rated_study, rating_protocol
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from playwright.sync_api import Browser, Page, Route
from starlette.types import ASGIApp
from tests.web.visitors import CORRECTNESS, Served, with_passages

from tiebreak.campaign import LabelGiven
from tiebreak.data.study import Study
from tiebreak.live.answers import stop
from tiebreak.live.links import issue_link, owner_secret, web_key
from tiebreak.settings.protocol import LabelSettings
from tiebreak.web.app import create_app
from tiebreak.web.creation import Creation
from tiebreak.web.settings import ServeSettings
from tiebreak.web.site import Site


class Listening:
    """An application on a port of its own."""

    def __init__(self, app: Callable[[ServeSettings], ASGIApp], *, lifespan: Literal["on", "off"]) -> None:
        config = uvicorn.Config(lambda: None, host="127.0.0.1", port=0, log_level="error", lifespan=lifespan)
        socket = config.bind_socket()
        self.address = f"http://127.0.0.1:{socket.getsockname()[1]}"
        config.app = app(ServeSettings(port=socket.getsockname()[1]))
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [socket]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.02)

    def close(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join()


class Server(Listening):
    """The pages of a campaign."""

    def __init__(self, served: Served) -> None:
        self.served = served
        super().__init__(lambda settings: create_app(Site(served.folder, settings)), lifespan="off")

    def link(self) -> str:
        """A link for somebody."""
        return f"{self.address}/a/{issue_link(self.served.live, now=NOW)}"

    @property
    def owner(self) -> str:
        """The owner's link."""
        return f"{self.address}/o/{owner_secret(web_key(self.served.folder))}"

    def labels(self) -> list[LabelGiven]:
        """The answers so far."""
        return self.served.answers()


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    folder = tmp_path_factory.mktemp("web")
    study, passages = rated_study(), {name: f"The passage {name}." for name in "pq"}
    told = "مرحبا, be fair.\nTake your time."
    kinds = {
        "preference": (protocol_of(labels=LabelSettings(price=0.1)), study_of()),
        "ranking": (protocol_of(labels=LabelSettings(kind="ranking")), study_of(("ant", "bee", "cat", "dog"))),
        "rating": (rating_protocol(), study),
        "rating+edit": (rating_protocol(labels=LabelSettings(kind="rating+edit"), edit_below=3), study),
        "correctness": (replace(CORRECTNESS, instructions=told), with_passages(passages)),
    }  # fmt: skip
    servers = {kind: Server(Served(folder / kind, *of)) for kind, of in kinds.items()}
    yield servers
    for server in servers.values():
        server.close()


def joined(browser: Browser, server: Server, *, post: Callable[[Route], None] | None = None, **context: object) -> Page:
    """Somebody's page, at their first task. `post` gets the answers that it sends.

    The route is laid before the first page: one that is laid under an open page may miss its next request.
    """
    page = browser.new_context(**context).new_page()  # type: ignore[arg-type]
    if post is not None:
        page.route("**/task", lambda route: post(route) if route.request.method == "POST" else route.continue_())
    page.goto(server.link())
    page.click("button.main")
    page.wait_for_selector("#answer")
    page.wait_for_load_state()
    return page


def findings(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]


KINDS = ("preference", "ranking", "rating", "rating+edit", "correctness")
KEYS = {"preference": "1", "ranking": "2134", "rating": "4", "rating+edit": "4", "correctness": "1111"}


@pytest.mark.parametrize(
    ("width", "scheme", "kind"),
    [
        *((390, "dark", kind) for kind in KINDS),
        *(pytest.param(1100, "light", kind, marks=() if kind == "preference" else pytest.mark.full) for kind in KINDS),
    ],
)
def test_no_page_has_a_finding_or_is_too_wide(
    browser: Browser, campaigns: dict[str, Server], kind: str, width: int, scheme: str
) -> None:
    locale = "de" if scheme == "dark" else "en"
    screen = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "locale": locale}
    page = joined(browser, campaigns[kind], **screen)
    assert page.get_attribute("html", "lang") == locale
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(campaigns[kind].owner)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_next_task_comes_with_the_receipt_of_an_answer(browser: Browser, campaigns: dict[str, Server]) -> None:
    """One request is sent, and one follows it: the page is not asked for again. All works in the new task, too."""
    server, before = campaigns["preference"], len(campaigns["preference"].labels())
    page, asked = joined(browser, server), list[str]()
    page.on("request", lambda request: asked.append(f"{request.method} {urlsplit(request.url).path}"))
    for number in (1, 2):
        first = page.text_content(".shown .text")
        page.keyboard.press("d")
        page.keyboard.press("1")
        page.wait_for_function("first => document.querySelector('.shown .text').textContent !== first", arg=first)
        assert asked == ["POST /task", "GET /task"] * number
        assert page.evaluate("document.activeElement.tagName") == "H1"
        assert page.text_content("#status").strip() == "Saved on the server."  # type: ignore[union-attr]
    assert len(server.labels()) == before + 2


@pytest.mark.parametrize("kind", KINDS)
def test_everything_by_keys(browser: Browser, campaigns: dict[str, Server], kind: str) -> None:
    server, before = campaigns[kind], len(campaigns[kind].labels())
    page = joined(browser, server, viewport={"width": 390, "height": 800})
    page.wait_for_timeout(1_200)
    for key in KEYS[kind]:
        page.keyboard.press(key)
    if kind != "preference":
        page.keyboard.press("Enter")
    if kind == "correctness":
        page.wait_for_selector("button[name=change]")
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert len(server.labels()) == before
        page.wait_for_timeout(1_200)
        page.keyboard.press("Enter")  # a key that is held too long confirms nothing
        page.keyboard.press("1")
    page.wait_for_url("**/task?saved=saved")
    assert len(server.labels()) == before + 1
    seconds = server.labels()[-1].seconds
    assert seconds is not None
    assert (2 if kind == "correctness" else 1) <= seconds < 30, "those for which both pages were looked at"


@pytest.mark.parametrize("kind", KINDS)
def test_everything_without_scripts(browser: Browser, campaigns: dict[str, Server], kind: str) -> None:
    server, before = campaigns[kind], len(campaigns[kind].labels())
    page = joined(browser, server, java_script_enabled=False)
    if kind == "preference":
        page.click('button[value="Second text"]')
    else:
        for group in page.query_selector_all("fieldset.choices"):
            options = group.query_selector_all("input")
            options[3 if kind.startswith("rating") else 0].check()
        page.click("#send")
    if kind == "correctness":
        page.click("button[name=change]")
        assert page.is_checked("input[value=supports] >> nth=0")
        page.click("#send")
        page.click("button.main")
    page.wait_for_url("**/task?saved=saved")
    assert len(server.labels()) == before + 1


def test_an_answer_waits_while_the_network_is_gone(browser: Browser, campaigns: dict[str, Server]) -> None:
    server, before = campaigns["preference"], len(campaigns["preference"].labels())
    page = joined(browser, server)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.wait_for_selector("#status.waiting")
    assert "your answer waits here" in page.inner_text("#status")
    page.context.set_offline(False)
    page.wait_for_url("**/task?saved=saved", timeout=10_000)
    assert len(server.labels()) == before + 1


def test_an_answer_whose_receipt_got_lost_is_sent_again_and_counts_once(
    browser: Browser, campaigns: dict[str, Server]
) -> None:
    server, before = campaigns["preference"], len(campaigns["preference"].labels())
    lost: list[str] = []

    def lose_the_first(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.fetch(max_redirects=0)  # the server takes it, and the browser never hears of it
            route.abort()

    page = joined(browser, server, post=lose_the_first)
    page.keyboard.press("1")
    page.wait_for_url("**/task?saved=known", timeout=10_000)
    assert len(server.labels()) == before + 1


def test_problems_are_shown_and_the_page_goes_on_working(browser: Browser, campaigns: dict[str, Server]) -> None:
    page = joined(browser, campaigns["rating+edit"])
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_selector(".problem")
    assert "must be changed until it is good" in page.inner_text("main")
    page.fill("textarea[name='answer:edit']", "a better text")
    page.click("#send")
    page.wait_for_url("**/task?saved=saved")


def test_words_are_marked_in_a_passage(browser: Browser, campaigns: dict[str, Server]) -> None:
    page = joined(browser, campaigns["correctness"])
    page.evaluate(
        """() => {
          const text = document.querySelector("[data-mark]").firstChild;
          document.getSelection().setBaseAndExtent(text, 4, text, 13);
        }"""
    )
    page.wait_for_timeout(200)
    assert page.input_value("#field-words-of-passage-1") == "passage p"


def test_words_that_differ_are_marked_and_unmarked(browser: Browser, tmp_path: Path) -> None:
    texts = {"ant": "# Colours\n\nThe **cat** sat on a red mat.", "bee": "The cat sat, on a mat of `red`."}
    outputs = [{"item": f"i{k}", "system": name, "text": text} for k in range(40) for name, text in texts.items()]
    protocol = protocol_of(labels=LabelSettings(markdown=True))
    server = Server(Served(tmp_path / "camp", protocol, Study.from_tables(outputs=outputs)))
    page = joined(browser, server)
    before = page.inner_html(".texts")
    assert page.inner_text(".rendered strong") == "cat"
    page.keyboard.press("d")
    marked = sorted(page.locator("mark").all_inner_texts())
    assert marked == sorted([",", "Colours", "of", "red", "red"])
    assert findings(page) == []
    page.keyboard.press("d")
    assert page.inner_html(".texts") == before
    server.close()


def test_two_long_texts_scroll_together(browser: Browser, tmp_path: Path) -> None:
    outputs = [
        {"item": f"i{k}", "system": name, "text": f"{name} line\n" * lines}
        for k in range(40)
        for name, lines in (("ant", 200), ("bee", 400))
    ]
    server = Server(Served(tmp_path / "camp", protocol_of(), Study.from_tables(outputs=outputs)))
    page = joined(browser, server, viewport={"width": 1100, "height": 800})
    page.hover(".shown:first-of-type .text")
    page.mouse.wheel(0, 1_000)
    page.wait_for_timeout(500)
    shares = page.evaluate(
        "[...document.querySelectorAll('.texts .text')].map((t) => t.scrollTop / (t.scrollHeight - t.clientHeight))"
    )
    assert shares[0] > 0
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    server.close()


def test_it_is_counted_who_pastes_and_who_leaves(browser: Browser, campaigns: dict[str, Server]) -> None:
    server = campaigns["rating+edit"]
    page = joined(browser, server)
    page.keyboard.press("2")
    page.evaluate(
        """() => {
          window.dispatchEvent(new Event("blur"));
          document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", { bubbles: true }));
        }"""
    )
    page.fill("textarea[name='answer:edit']", "from elsewhere")
    page.click("#send")
    page.wait_for_url("**/task?saved=saved")
    label = server.labels()[-1]
    assert (label.left_page, label.pasted) == (1, 1)


def test_thanks_have_no_finding(browser: Browser, tmp_path: Path) -> None:
    server = Server(Served(tmp_path / "camp"))
    page = joined(browser, server)
    page.keyboard.press("1")
    page.wait_for_url("**/task?saved=saved")
    stop(server.served.live, now=NOW)
    page.reload()
    assert "You are finished, thank you" in page.inner_text("h1")
    assert findings(page) == []
    server.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1200, "light")])
def test_a_campaign_is_created_and_labelled(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    rows = "".join(f"i{k},{system},{system} {k}\n" for k in range(40) for system in ("ant", "bee"))
    (tmp_path / "outputs.csv").write_text(f"item,system,text\n{rows}", encoding="utf-8")
    made: list[Creation] = []

    def creation(settings: ServeSettings) -> ASGIApp:
        made.append(Creation(tmp_path / "camp", settings, lambda _: None))
        return made[0]

    server = Listening(creation, lifespan="on")
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=width > 390
    )
    page = context.new_page()

    def looked_at() -> None:
        assert width == 390 or findings(page) == []  # axe itself is a script
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.goto(f"{server.address}/o/{made[0].secret}")
    looked_at()
    page.set_input_files("#tables", tmp_path / "outputs.csv")
    page.fill("[name='labels.price']", "0,25")
    page.click("button.main")
    assert "write a number with a point" in page.inner_text("[role=alert]")
    looked_at()
    page.fill("[name='labels.price']", "0.25")
    page.select_option("[name='labels.ties']", "no-ties")
    page.click("button.main")
    assert "At most 40 labels, $10.00" in page.inner_text("main")
    looked_at()
    page.click("text=Back")
    assert page.input_value("[name='labels.price']") == "0.25"
    page.click("button.main")
    page.click("button.main")
    page.wait_for_url("**/owner")
    assert "0 of 1 pair decided" in page.inner_text("main")
    looked_at()
    page.click("text=Make a link >> nth=0")
    link = page.inner_text("[role=status]").rpartition(" ")[2]
    page.goto(link)
    page.click("button.main")
    page.click('button[value="Second text"]')
    page.wait_for_url("**/task?saved=saved")
    server.close()
