"""The folder of a campaign: `protocol.toml`, `study/` (a copy of the tables that it needs), and the log in
`events.sqlite`, or in PostgreSQL, where `database.toml` says.

The copy makes the campaign independent of what later happens to the study; the fingerprints of both stand in the first
event, so that a log is never continued under other rules.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tiebreak.campaign import Protocol, ProtocolError, State, init, protocol_from_toml, protocol_to_toml
from tiebreak.campaign.events import CampaignOpened, event_to_json
from tiebreak.data.readers import read_study
from tiebreak.data.schema import FORMATS, TABLES
from tiebreak.data.study import Study, with_one_sample
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError, did_you_mean
from tiebreak.files import NEW, workshop, write_synced, writing
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.texts import GIVEN
from tiebreak.live.tutorial import TUTORIAL_FILE, read_tutorial, tutorial_in
from tiebreak.messages.tables import LEARNED_FROM
from tiebreak.numbers import command
from tiebreak.settings.protocol import LISTED_POOL
from tiebreak.store import EventStore, PostgresStore, SqliteStore, StoredEvent
from tiebreak.store.postgres import without_password

PROTOCOL_FILE: Final = "protocol.toml"
STUDY_FOLDER: Final = "study"
EVENTS_FILE: Final = "events.sqlite"
DATABASE_FILE: Final = "database.toml"
CAMPAIGN_FOLDER: Final = "campaign"  # in an export


def check_hidden(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each one of `GIVEN`.

    Raises:
        UsageError: another name.
    """
    for name in names:
        if name not in GIVEN:
            raise UsageError(f"cannot hide {name!r}{did_you_mean(name, GIVEN)}; choose from {', '.join(GIVEN)}")
    return tuple(dict.fromkeys(names))


def study_for(protocol: Protocol, study: Study, hidden: Sequence[str] = ()) -> Study:
    """The tables that a campaign needs: texts of its systems, items, and scores and judges where the protocol uses
    them; none of the labels that the study has already. `hidden`: of input, context and reference, those that
    annotators are not to see.

    Whether an evaluator learned from the study's labels is no matter here: what it says is sealed before the first
    label of the campaign.
    """
    in_pairs = tuple(name for pair in protocol.only_pairs for name in pair)
    named = tuple(dict.fromkeys(in_pairs or protocol.systems))  # the baseline is one of them
    chosen = study.select(systems=named) if named and set(named) <= set(study.systems) else study
    chosen = with_one_sample(chosen, "a campaign")
    items = chosen.items
    columns = [*hidden, *(["references"] if "reference" in hidden else [])]
    if items is not None and columns:
        items = items.with_columns([items[name].clear(items.height).alias(name) for name in columns])
    return replace(
        chosen,
        items=items,
        preferences=None,
        ratings=None,
        edits=None,
        spans=None,
        scores=chosen.scores if protocol.decision.metrics else None,
        judge_preferences=chosen.judge_preferences if protocol.decision.judges else None,
        with_repeats={},
        notices=tuple(notice for notice in chosen.notices if notice.code != LEARNED_FROM.code),
    )


def create_campaign(
    folder: Path,
    protocol: Protocol,
    study: Study,
    *,
    at: str,
    hidden: Sequence[str] = (),
    database: str | None = None,
    tutorial: str | None = None,
) -> None:
    """Write a new campaign folder, which appears whole or not at all. `at`: the time of its first event.

    `database`: the address of a PostgreSQL database for the log, postgresql://...; its password is not written down.
    `tutorial`: the text of a tutorial (`live.tutorial`), which people take in a browser before their first task.

    Raises:
        UsageError: the folder is there already, or the protocol does not fit the study.
        InputError: the study has no outputs to show.
    """
    if folder.exists():
        raise UsageError(f"{folder} exists already; a campaign needs a new folder")
    state, own = prepared(protocol, study, hidden)
    protocol, written = state.protocol, protocol_to_toml(state.protocol)
    target = folder.resolve()
    with writing(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
    with workshop(target) as shop:
        fresh = shop / NEW
        try:
            with writing(folder):
                fresh.mkdir()
                write_study(own, fresh / STUDY_FOLDER)
                write_synced(fresh / PROTOCOL_FILE, written.encode("utf-8"))
                if tutorial is not None:
                    read_tutorial(tutorial, TUTORIAL_FILE, protocol)
                    write_synced(fresh / TUTORIAL_FILE, tutorial.encode("utf-8"))
                opened = CampaignOpened(at, protocol.fingerprint, read_study(fresh / STUDY_FOLDER).fingerprint)
                _new_store(fresh, database).append([event_to_json(opened)], expected_length=0)
                open_campaign(fresh)  # what was written can be read, and is what was meant
                fresh.rename(target)
        except TiebreakError as error:
            if type(error) is not TiebreakError:
                raise
            raise TiebreakError(str(error).replace(str(fresh), str(folder))) from error  # as files would be named


def prepared(protocol: Protocol, study: Study, hidden: Sequence[str] = ()) -> tuple[State, Study]:
    """What a new campaign begins with: its state, and the tables that it needs. Nothing is written.

    Raises:
        UsageError: the protocol does not fit the study.
        InputError: the study has no outputs to show.
    """
    if study.outputs is None:
        message = (
            "the study has no table outputs, so there is nothing to show to annotators: add outputs.csv (item, system, "
            "text)"
        )
        raise InputError([Problem(str(study.path or study.name), message)])
    if protocol.order.order == "listed" and protocol.decision.target == "items":
        raise ProtocolError("order.order", "listed", LISTED_POOL)
    protocol = protocol_from_toml(protocol_to_toml(protocol))  # as it will be read: 48 and 48.0 hours are one protocol
    own = study_for(protocol, study, hidden)
    return init(protocol, own), own


def _new_store(folder: Path, database: str | None) -> EventStore:
    """The empty log of a new campaign."""
    if database is None:
        return SqliteStore.create(folder / EVENTS_FILE)
    log = secrets.token_hex(8)
    store = PostgresStore.create(database, log)
    text = f"url = {json.dumps(without_password(database))}\nlog = {json.dumps(log)}\n"
    write_synced(folder / DATABASE_FILE, text.encode())
    return store


def has_log(folder: Path) -> bool:
    """Whether a folder says where the log of its campaign is."""
    return (folder / EVENTS_FILE).is_file() or (folder / DATABASE_FILE).is_file()


def store_of(folder: Path) -> SqliteStore | PostgresStore:
    """The log of the campaign in a folder.

    Raises:
        InputError: the file that says in which database it is cannot be read.
    """
    path = folder / DATABASE_FILE
    if not path.is_file():
        return SqliteStore(folder / EVENTS_FILE)
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        return PostgresStore(str(said["url"]), str(said["log"]))
    except (OSError, ValueError, KeyError) as error:
        raise InputError([Problem(str(path), f"must have the keys url and log: {error}")]) from error


def open_campaign(folder: Path) -> LiveCampaign:
    """The campaign in a folder, with everything that has happened in it so far.

    Raises:
        InputError: not a campaign's folder, or one of its parts is damaged or was changed.
        UsageError: a protocol that cannot be; the text names file and line.
    """
    path = folder / PROTOCOL_FILE
    if not folder.is_dir() or not path.is_file():
        raise InputError([Problem(str(folder), _no_campaign(folder))])
    protocol = read_protocol(path)
    study = replace(read_study(folder / STUDY_FOLDER), name=folder.resolve().name)
    store = store_of(folder)
    known = store.read()
    _check_first_event(known[0] if known else {}, folder, store.where, protocol, study)
    return LiveCampaign(folder, protocol, study, store, known, tutorial_in(folder, protocol))


def back_up(folder: Path, target: Path) -> LiveCampaign:
    """Copy a campaign, whose log may grow meanwhile, into a new folder, which appears whole or not at all.

    Raises:
        UsageError: the target is there already, or the log is in PostgreSQL.
        InputError, TiebreakError: as `open_campaign`, and where the copy cannot be written.
    """
    if target.exists():
        raise UsageError(f"{target} exists already; a backup needs a new folder")
    open_campaign(folder)
    store = store_of(folder)
    if not isinstance(store, SqliteStore):
        raise UsageError(f"the log is in {store.where}: back it up there, and copy the folder {folder} beside it")
    with writing(target):
        target.resolve().parent.mkdir(parents=True, exist_ok=True)
    with workshop(target.resolve()) as shop, writing(target):
        fresh = shop / NEW
        shutil.copytree(folder / STUDY_FOLDER, fresh / STUDY_FOLDER)
        for name in (PROTOCOL_FILE, TUTORIAL_FILE):
            if (folder / name).is_file():
                shutil.copy(folder / name, fresh / name)
        store.backup(fresh / EVENTS_FILE)
        open_campaign(fresh)
        fresh.rename(target.resolve())
    return open_campaign(target)


def _no_campaign(folder: Path) -> str:
    """What lies there instead, and which command takes it."""
    if not folder.exists():
        return f"no such folder; begin with: {command('campaign', 'create', 'STUDY', '-o', 'CAMPAIGN')}"
    if (folder / CAMPAIGN_FOLDER).is_dir():
        return f"this is no campaign's folder, but an export of one; its verdict: {command('compare', folder)}"
    if any((folder / f"{table}.{ending}").is_file() for table in TABLES for ending in FORMATS):
        begin, compare = command("campaign", "create", folder, "-o", "CAMPAIGN"), command("compare", folder)
        return f"this is no campaign's folder, but a study. To begin a campaign: {begin}; for its verdicts: {compare}"
    begin = command("campaign", "create", "STUDY", "-o", "CAMPAIGN")
    return f"this is no campaign's folder: it has no {PROTOCOL_FILE}; begin with: {begin}"


def read_protocol(path: Path) -> Protocol:
    """The protocol in a file.

    Raises:
        InputError: the file cannot be read.
        UsageError: a protocol that cannot be; the text names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}")]) from error
    return protocol_from_toml(text, file=str(path))


def _check_first_event(first: StoredEvent, folder: Path, log: str, protocol: Protocol, study: Study) -> None:
    """Say which part was changed; the campaign itself only knows that something does not fit."""
    if first.get("type") != "campaign-opened":
        message = "the log does not begin with the opening of a campaign; put it back from a backup"
        raise InputError([Problem(log, message)])
    parts = (
        ("protocol", protocol.fingerprint, folder / PROTOCOL_FILE),
        ("study", study.fingerprint, folder / STUDY_FOLDER),
    )
    for name, fingerprint, path in parts:
        if first.get(name) != fingerprint:
            message = (
                f"the {name} is not the one that this campaign was begun with; what is fixed before the first label "
                "stays: undo the change, or create another campaign"
            )
            raise InputError([Problem(str(path), message)])
