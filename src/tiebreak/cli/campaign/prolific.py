"""`tiebreak campaign prolific`: a study on Prolific that sends people to the pages of a campaign, and their pay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

from tiebreak.campaign import State
from tiebreak.campaign.events import CrowdStudy, Event
from tiebreak.cli.campaign.options import CampaignArgument, check_outside, now
from tiebreak.cli.setting_options import option, with_settings
from tiebreak.cli.terminal import console_for_results
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.live import LiveCampaign, open_campaign
from tiebreak.live.accounts import payments
from tiebreak.live.ledger import TaskLedger
from tiebreak.live.links import keep_hook_secret, open_link_secret, public_name, web_key
from tiebreak.numbers import counted
from tiebreak.web.prolific import Prolific, ProlificStudy
from tiebreak.web.settings import MOST_PEOPLE, GrowSettings, ProlificSettings

_IDLE: Final = ("UNPUBLISHED", "AWAITING REVIEW", "COMPLETED")


@with_settings(ProlificSettings)
def create_command(
    campaign: CampaignArgument,
    settings: ProlificSettings,
    publish: Annotated[bool, option("Publish it, which spends money.", "", "--publish")] = False,
) -> None:
    """Make a study on Prolific, and say what it costs.

    It sends people to the pages. Needs an API token in PROLIFIC_TOKEN. The study is a draft, whose title and audience
    may be changed on Prolific, until --publish lets people in. Given again, the command makes no second one, and
    changes nothing of the first. The campaign keeps its codes: serve shows them at the end.

    Example: tiebreak campaign prolific create my-campaign --base-url https://labels.example.org --places 20
    --reward 2.50 --minutes 15
    """
    live, prolific = open_campaign(campaign), Prolific()
    study = _study(live, prolific, settings)
    _note(live, study)
    if settings.workspace is not None:
        keep_hook_secret(campaign, prolific.subscribe(settings.workspace, settings.base_url.rstrip("/")))

    console, places = console_for_results(), round(study.total_available_places)
    console.say(f"Study {study.id}: {counted(places, 'place')} at {_amount(round(study.reward))} each.")
    _say_cost(prolific, round(study.reward), places)
    if study.status != "UNPUBLISHED":
        console.say(f"Prolific says {study.status}.")
    elif publish:
        prolific.transition(study.id, "PUBLISH")
        console.say("Published: people come from now on.")
    else:
        console.say("It is a draft. The same command with --publish lets people in.")


@with_settings(GrowSettings)
def grow_command(campaign: CampaignArgument, settings: GrowSettings) -> None:
    """Recruit more people, which spends money.

    A study that was over goes on, too.

    Example: tiebreak campaign prolific grow my-campaign --places 40
    """
    live, prolific = open_campaign(campaign), Prolific()
    study = prolific.study(_known(live).study)
    places, before = settings.places, round(study.total_available_places)
    if places <= before:
        raise UsageError(f"--places {places}: the study has {before}, and can only get more")
    _say_cost(prolific, round(study.reward), places - before)
    prolific.grow(study.id, places)
    console_for_results().say(f"The study has {places} places, {places - before} more.")


def stop_command(campaign: CampaignArgument) -> None:
    """Recruit nobody any more. Who is at work may finish.

    Example: tiebreak campaign prolific stop my-campaign
    """
    live, prolific = open_campaign(campaign), Prolific()
    study = prolific.study(_known(live).study)
    if study.status in _IDLE:
        console_for_results().say(f"Nobody is recruited: Prolific says {study.status}.")
        return
    prolific.transition(study.id, "STOP")
    console_for_results().say("Stopped: nobody else is recruited.")


def pay_command(
    campaign: CampaignArgument,
    out: Annotated[Path, option("Folder for approve.csv and bonus.csv.", "FOLDER", "--out", "-o")],
) -> None:
    """Write whom to approve, and bonuses; name who is paid nothing, and why.

    The files pay nothing and reject nobody. A bonus is what somebody's labels and tutorial earned beyond the reward,
    less what Prolific has paid them already: pay it, and only then ask again.

    Example: tiebreak campaign prolific pay my-campaign -o pay
    """
    check_outside(campaign, out)
    live, prolific = open_campaign(campaign), Prolific()
    study = prolific.study(_known(live).study)
    reward = round(study.reward)
    found = payments(live, reward, prolific.submissions(study.id), prolific.bonuses)
    approved = [submission for of in found for submission in of.approve]
    bonuses = [of for of in found if of.bonus]
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    write_bytes(out / "approve.csv", "".join(f"{submission}\n" for submission in approved).encode())
    write_bytes(out / "bonus.csv", "".join(f"{of.submission},{_amount(of.bonus)}\n" for of in bonuses).encode())

    console = console_for_results()
    rewards = _amount(len(approved) * reward)
    console.say(f"Wrote {out / 'approve.csv'}: {counted(len(approved), 'submission')}, {rewards} in rewards")
    total = _amount(sum(of.bonus for of in bonuses))
    console.say(f"Wrote {out / 'bonus.csv'}: {counted(len(bonuses), 'payment')}, {total} in all")
    for of in found:
        if of.why:
            console.say(f"Nothing for {of.annotator}: {of.why}.")


def _study(live: LiveCampaign, prolific: Prolific, settings: ProlificSettings) -> ProlificStudy:
    """The campaign's study: the one that its log names, one whose creation was never answered, or a new one."""
    known, key = live.ledger.crowd_study, web_key(live.folder)
    if known is not None:
        return prolific.study(known.study)
    name = public_name(key)
    there = prolific.named(name)
    if there is not None:
        return there
    secret = open_link_secret(live, key, now=now(), most=MOST_PEOPLE, whom="prolific")
    if secret is None:
        raise TiebreakError("the link for people of Prolific was revoked; they could not come")
    link = f"{settings.base_url.rstrip('/')}/a/{secret}"
    return prolific.create(name, live.protocol.question, link, settings)


def _note(live: LiveCampaign, study: ProlificStudy) -> None:
    """Let the log name the study, with the codes that it has on Prolific."""

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        event, known = study.event(now()), ledger.crowd_study
        return () if known is not None and replace(known, at=event.at) == event else (event,)

    live.commit(decide)


def _known(live: LiveCampaign) -> CrowdStudy:
    if live.ledger.crowd_study is None:
        raise UsageError("this campaign has no study on Prolific; make one: tiebreak campaign prolific create")
    return live.ledger.crowd_study


def _say_cost(prolific: Prolific, reward: int, places: int) -> None:
    cost = _amount(prolific.cost(reward, places))
    text = f"{counted(places, 'place')} cost {cost} with fees and tax, in the account's currency; bonuses come on top."
    console_for_results().say(text)


def _amount(cents: int) -> str:
    """Cents as an amount of the currency: 2.50."""
    return f"{cents // 100}.{cents % 100:02d}"
