"""What the owner of a campaign sees and does: how it stands, who works on it, links, pause and stop."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from tiebreak.campaign.events import LabelGiven, Role, TaskAssigned, TutorialAnswered, event_time
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.live import LiveCampaign
from tiebreak.live.answers import change_instructions, change_price, exclude, nearly_known, pause, resume, stop
from tiebreak.live.export import write_export
from tiebreak.live.ledger import Link
from tiebreak.live.links import digest_of, is_owner, issue_link, revoke_link, shown_digest, shown_link
from tiebreak.live.result import headline_of, progress_of, result_of, standing_of
from tiebreak.messages.campaign import price_words, spending_words
from tiebreak.messages.claims import agreement_sentences
from tiebreak.messages.verdicts import verdict_words
from tiebreak.numbers import in_percent, interval, money, number
from tiebreak.results.measured import MeasuredResult
from tiebreak.results.records import CompareResult
from tiebreak.settings import written
from tiebreak.settings.shared import PRICE
from tiebreak.web.forms import preview_page, text_in
from tiebreak.web.guards import Entrance
from tiebreak.web.settings import MOST_PEOPLE, link_address
from tiebreak.web.site import Site, gettext, now

_LONGEST: Final = 200
_LONGEST_NAME: Final = 100
_LONGEST_INSTRUCTIONS: Final = 20_000
_MOST_PREVIEWED: Final = 1_000
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)
_JUST_NOW: Final = timedelta(minutes=10)

Row = dict[str, object]


class OwnerPages:
    """The pages of the owner."""

    def __init__(self, site: Site, entrance: Entrance) -> None:
        self._site, self._entrance = site, entrance
        self._actions: dict[str, Callable[[LiveCampaign, FormData], str]] = {
            "pause": lambda live, _: self._did(pause(live, now=now()), "Paused: nobody gets a task."),
            "resume": lambda live, _: self._did(resume(live, now=now()), "Tasks are handed out again."),
            "stop": self._stop,
            "instructions": self._instructions,
            "price": self._price,
            "exclude": self._exclude,
            "invite": self._invite,
            "invite-owner": self._invite_owner,
            "revoke": self._revoke,
        }

    async def dashboard(self, request: Request) -> Response:
        """How the campaign stands."""
        follow = "follow" in request.query_params
        return await self._for_owner(request, lambda live, link: self._dashboard(live, link, follow=follow))

    async def act(self, request: Request) -> Response:
        """Something that the owner does."""
        form = await request.form()
        action = self._actions.get(str(request.path_params["action"]))

        def work(live: LiveCampaign, link: str) -> Response:
            if self._site.read_ticket(form.get("ticket"), link) is None:
                return self._entrance.refuse()
            if action is None:
                return self._site.problem(404, gettext("There is no such page"), gettext("Please go back."))
            try:
                told = action(live, form)
            except UsageError as error:
                return self._dashboard(live, link, problem=str(error))
            return self._dashboard(live, link, told=told)

        return await self._for_owner(request, work)

    async def preview(self, request: Request) -> Response:
        """What annotators would see, one task after the other; nothing is stored."""
        form = await request.form() if request.method == "POST" else None
        after = request.query_params.get("after", "0")
        count = min(int(after), _MOST_PREVIEWED) if after.isascii() and after.isdigit() and len(after) < 6 else 0
        return await self._for_owner(request, lambda live, _: preview_page(self._site, live, count, form))

    async def report(self, request: Request) -> Response:
        """The report, as the command line writes it."""
        return await self._for_owner(request, lambda live, _: self._report(live))

    async def learning(self, request: Request) -> Response:
        """A picture of how near each pair came to its verdict, item by item."""
        return await self._for_owner(request, lambda live, _: self._learning(live))

    async def export(self, request: Request) -> Response:
        """The campaign as a study, with its labels, as the command line writes it: without names and comments."""
        return await self._for_owner(request, lambda live, _: self._export(live))

    # ---- actions -----------------------------------------------------------------------------------------------

    def _did(self, done: bool, told: str) -> str:
        return told if done else "It was so already."

    def _stop(self, live: LiveCampaign, form: FormData) -> str:
        return self._did(stop(live, now=now(), reason=_line(form, "reason")), "Stopped: the verdicts stay as they are.")

    def _instructions(self, live: LiveCampaign, form: FormData) -> str:
        text = text_in(form, "instructions")
        if len(text) > _LONGEST_INSTRUCTIONS:
            raise UsageError(f"instructions have at most {_LONGEST_INSTRUCTIONS:,} characters")
        return self._did(change_instructions(live, text, now=now()), "Annotators read these instructions from now on.")

    def _price(self, live: LiveCampaign, form: FormData) -> str:
        price = written.number("price", PRICE)(_line(form, "price"))
        return price_words(change_price(live, price, now=now()), live.state.most_labels, live.state.labels)

    def _exclude(self, live: LiveCampaign, form: FormData) -> str:
        name = _line(form, "annotator")
        done = exclude(live, name, now=now(), reason=_line(form, "reason"))
        return self._did(done, f"{name} gets no more tasks; the labels so far stay.")

    def _invite(self, live: LiveCampaign, form: FormData) -> str:
        name, most = _line(form, "annotator"), _line(form, "most") or "1"
        if not (most.isascii() and most.isdigit()) or not 1 <= int(most) <= MOST_PEOPLE:
            raise UsageError(f"the number of people must be from 1 to {MOST_PEOPLE:,}, not {most!r}")
        near = nearly_known(name, live.state.annotators) if name and name not in live.state.annotators else None
        if len(name) > _LONGEST_NAME:
            raise UsageError(f"a name has at most {_LONGEST_NAME} characters")
        if near is not None:
            raise UsageError(f"{name!r} is nearly {near!r}, who is known: write the name as it is, or another one")
        secret = issue_link(live, now=now(), annotator=name, most=1 if name else int(most))
        whom = name or f"{most} people"
        return self._link_words(whom, secret, "annotator")

    def _invite_owner(self, live: LiveCampaign, _: FormData) -> str:
        secret = issue_link(live, now=now(), role="owner")
        return self._link_words("another owner", secret, "owner")

    def _link_words(self, whom: str, secret: str, role: Role) -> str:
        """A new link, with what it is listed by."""
        address = link_address(self._site.settings.address, secret, role)
        return f"A link for {whom}, listed as {shown_digest(digest_of(secret))}, which is shown once: {address}"

    def _revoke(self, live: LiveCampaign, form: FormData) -> str:
        revoke_link(live, _line(form, "link"), now=now())
        return "The link does not work any more."

    # ---- pages -------------------------------------------------------------------------------------------------

    async def _for_owner(self, request: Request, work: Callable[[LiveCampaign, str], Response]) -> Response:
        """What `work` makes for the owner whose browser asks, who came by a link that still works: its digest."""
        link = self._entrance.link_of(request)

        def checked(live: LiveCampaign) -> Response:
            if link is None or not is_owner(live.ledger, self._site.key, link):
                return self._entrance.refuse()
            return work(live, link)

        return await run_in_threadpool(self._site.owners, checked)

    def _dashboard(
        self, live: LiveCampaign, link: str, *, told: str = "", problem: str = "", follow: bool = False
    ) -> Response:
        found, state, protocol = standing_of(live), live.state, live.protocol
        progress = progress_of(found)
        left = "—" if progress.labels_left is None else f"{progress.labels_left:,}"
        seconds = [of.seconds_per_label for of in progress.people if of.seconds_per_label]
        usual, price = statistics.median(seconds) if seconds else None, state.price
        worked = sum(person.seconds for person in state.annotators.values())
        hourly = None if not worked or price is None else 3600 * state.cost / worked
        figures = {
            "labels": f"{progress.labels:,}",
            "in evidence": f"{progress.labels_in_evidence:,}",
            "out with people": f"{progress.labels_out:,}",
            "active just now": f"{len(_active(live)):,}",
            "may be taken back": f"{len(live.ledger.held):,}",
            "left in the budget": left,
            "days to the end": _days_left(live, progress.labels_to_decision),
            "spent": "—" if progress.cost is None else money(progress.cost, progress.currency),
            "median seconds": "—" if usual is None else f"{usual:,.0f}",
            "pay per hour": "—" if hourly is None else self._hourly_words(hourly, progress.currency),
        }
        compared = found if isinstance(found, CompareResult) else None
        return self._site.page(
            "owner.html",
            name=live.folder.resolve().name,
            question=protocol.asked,
            instructions=state.instructions,
            price=state.price,
            currency=progress.currency,
            headline=headline_of(found),
            figures=figures,
            pairs=[] if compared is None else _pair_rows(compared, progress.currency),
            has_curve=_has_curve(live),
            agreement=[] if compared is None else agreement_sentences(compared.results[0]),
            measures=_measure_rows(found) if isinstance(found, MeasuredResult) else [],
            spending=spending_words(progress, found.undecided),
            warnings=[notice.text for notice in found.warnings],
            people=progress.people,
            edits=any(person.edited is not None for person in progress.people),
            percent=in_percent,
            money=money,
            skipped=_skip_reasons(live).most_common(),
            links=[_link_row(link) for link in live.ledger.links.values()],
            state="over" if state.ended is not None else "paused" if state.paused else "running",
            ticket=self._site.ticket(link),
            told=told,
            problem=problem,
            follow=follow,
        )

    def _hourly_words(self, hourly: float, currency: str) -> str:
        """Pay per hour, beside the least that it should be where it is less."""
        least = self._site.settings.least_pay
        few = f", less than {money(least, currency)}" if least is not None and hourly < least else ""
        return money(hourly, currency) + few

    def _learning(self, live: LiveCampaign) -> Response:
        from tiebreak.report.figures import learning
        from tiebreak.report.figures.canvas import figure_bytes

        if not _has_curve(live):
            text = gettext("The rule has no evidence that grows with labels.")
            return self._site.problem(404, gettext("There is no curve"), text)
        return Response(figure_bytes(learning(result_of(live)), "png"), media_type="image/png")

    def _export(self, live: LiveCampaign) -> Response:
        with tempfile.TemporaryDirectory() as folder:
            try:
                write_export(live, Path(folder) / "export")
            except TiebreakError:
                text = gettext("Nobody has given a label yet.")
                return self._site.problem(404, gettext("There is nothing to export"), text)
            archive = shutil.make_archive(str(Path(folder) / "all"), "zip", Path(folder) / "export")
            headers = {"content-disposition": 'attachment; filename="export.zip"'}
            return Response(Path(archive).read_bytes(), media_type="application/zip", headers=headers)

    def _report(self, live: LiveCampaign) -> Response:
        from tiebreak.report.document import render

        if live.protocol.rates:
            text = gettext("Ratings have no report yet; see their estimates on the page before.")
            return self._site.problem(404, gettext("There is no report"), text)
        headers = {"content-disposition": 'attachment; filename="report.html"'}  # it has styles and a script of its own
        return HTMLResponse(render(result_of(live)), headers=headers)


def _line(form: FormData, name: str) -> str:
    """What was typed into one line of a form."""
    return " ".join(text_in(form, name).split())[:_LONGEST]


def _days_left(live: LiveCampaign, labels: int | None) -> str:
    """Until so many more labels have come, if they come as they did in the last week that had any."""
    times = [event_time(record.label.at) for record in live.ledger.labelled if record.label is not None]
    if labels is None or not times or live.state.ended is not None:
        return "—"
    recent = [at for at in times if max(times) - at <= _WEEK]
    days = max((event_time(now()) - min(recent)) / _DAY, 1 / 24)
    return f"{labels * days / len(recent):,.1f}"


def _has_curve(live: LiveCampaign) -> bool:
    """Whether the evidence of pairs grows with the labels."""
    return not live.protocol.rates and live.state.rule.looks == "every"


def _active(live: LiveCampaign) -> set[str]:
    """Who got a task or answered one within the last minutes."""
    since = event_time(now()) - _JUST_NOW
    recent = takewhile(lambda event: event_time(event.at) >= since, reversed(live.events()))
    return {of.annotator for of in recent if isinstance(of, TaskAssigned | LabelGiven | TutorialAnswered)}


def _skip_reasons(live: LiveCampaign) -> Counter[str]:
    """How often annotators gave each reason for a task that they did not answer."""
    returned = (record.returned for record in live.ledger.tasks.values())
    return Counter(of.reason.removeprefix("skipped: ") for of in returned if of is not None and of.declined)


def _link_row(link: Link) -> Row:
    issued = link.issued
    return {
        "link": shown_link(link),
        "whom": "an owner" if issued.role == "owner" else issued.annotator or f"anybody, up to {issued.most:,}",
        "joined": ", ".join(link.joined),
        "revoked": link.revoked,
    }


def _pair_rows(found: CompareResult, currency: str) -> list[Row]:
    """The verdicts, in the words of the command line."""
    (criterion,) = found.results
    rows: list[Row] = []
    for pair in (one.winner_first() for one in criterion.pairs):
        low, high = pair.difference.low, pair.difference.high
        rows.append(
            {
                "pair": f"{pair.system_a} {pair.sign} {pair.system_b}",
                "difference": "" if pair.difference.estimate is None else number(pair.difference.estimate),
                "interval": "" if low is None or high is None else interval(low, high),
                "items": f"{pair.items:,}",
                "labels": f"{pair.labels:,}",
                "words": verdict_words(pair, found.terms.margin, currency),
                "open": pair.verdict == "undecided",
            }
        )
    return rows


def _measure_rows(found: MeasuredResult) -> list[Row]:
    """Means or differences with their intervals."""
    rows: list[Row] = []
    for criterion in found.results:
        for of in criterion.measures:
            low, high = of.mean.low, of.mean.high
            rows.append(
                {
                    "criterion": criterion.criterion,
                    "systems": " − ".join(of.systems),
                    "mean": "" if of.mean.estimate is None else number(of.mean.estimate),
                    "interval": "" if low is None or high is None else interval(low, high),
                    "items": f"{of.items:,}",
                    "open": of.found == "undecided",
                }
            )
    return rows
