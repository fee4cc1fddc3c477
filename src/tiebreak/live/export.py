"""A campaign as a study: its texts and labels as tables, and the campaign itself beside them.

`compare EXPORT` replays the campaign in it through the same `step`, and so relays its verdict. The tables are for
everything else; where they and the events disagree, somebody has changed one of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tiebreak.campaign import Protocol, protocol_to_toml
from tiebreak.campaign.events import AnswerHeld, AnswerUndone, CrowdStudy, event_to_json
from tiebreak.campaign.rating_checks import rated_criteria
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import Format, write_study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.files import write_synced, writing
from tiebreak.live.answers import new_names, renamed, without_remarks
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.export_check import changed_labels, changed_texts, row_fingerprints, without_later
from tiebreak.live.folder import CAMPAIGN_FOLDER, PROTOCOL_FILE, has_log, read_protocol, study_for
from tiebreak.live.label_table import label_rows
from tiebreak.store import Head, StoredEvent

EVENTS_FILE: Final = "events.jsonl"
_ROWS_FILE: Final = "rows.json"
_ORIGIN_FILE: Final = "origin.json"


def write_export(
    campaign: LiveCampaign,
    path: Path,
    *,
    format: Format = "csv",  # noqa: A002  (as in write_study)
    overwrite: bool = False,
    keep_names: bool = False,
    comments: bool = False,
) -> Study:
    """Write the campaign's texts and labels as a study folder, with the campaign in it; returns that study.

    `keep_names`: people keep their names, else they are person-1, person-2, ... in tables and events alike.
    `comments`: with what people wrote, reasons to stop and exclude among it.

    Raises:
        TiebreakError: there are no labels yet.
        UsageError: the folder holds a campaign, or has something in it (unless `overwrite`), or the format is unknown.
    """
    if has_log(path):
        raise UsageError(f"cannot export to {path}: it holds a campaign; name a folder of its own for the export")
    # What may be taken back, or was, is nobody's business, nor are codes of a platform; a replay needs none of it.
    private = AnswerHeld | AnswerUndone | CrowdStudy
    events = [event for event in campaign.events() if not isinstance(event, private)]
    names = {} if keep_names else new_names(events)
    shown = renamed(events if comments else without_remarks(events), names)
    study = exported(campaign, names, comments=comments)

    def campaign_too(folder: Path) -> None:
        """Write protocol, events and origin beside the tables in `folder`, which becomes `path` when all is there."""
        inside = folder / CAMPAIGN_FOLDER
        inside.mkdir()
        lines = b"".join(event_line(event_to_json(event)) for event in shown)
        origin = {"campaign": campaign.study.name, "head": str(campaign.head), "events": _digest(lines)}
        texts = {
            PROTOCOL_FILE: protocol_to_toml(campaign.protocol),
            _ORIGIN_FILE: json.dumps(origin, ensure_ascii=False) + "\n",
            _ROWS_FILE: row_fingerprints(campaign.study),
        }
        for name, text in texts.items():
            with writing(path / CAMPAIGN_FOLDER / name):
                write_synced(inside / name, text.encode("utf-8"))
        with writing(path / CAMPAIGN_FOLDER / EVENTS_FILE):
            write_synced(inside / EVENTS_FILE, lines)

    write_study(study, path, format=format, overwrite=overwrite, also=campaign_too)
    return study


def is_export(path: Path) -> bool:
    """Whether a study folder holds a campaign."""
    return (path / CAMPAIGN_FOLDER / EVENTS_FILE).is_file() or (path / CAMPAIGN_FOLDER / PROTOCOL_FILE).is_file()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an export comes from: the name of the campaign, the head of its log then, and the digest of the `events` as
    they were exported, in which people may have other names; "" where that is lost.
    """

    campaign: str
    head: str
    events: str


def origin_of(path: Path) -> Origin:
    """Where an export comes from; where that is lost, the name is that of the export's folder."""
    try:
        found = json.loads((path / CAMPAIGN_FOLDER / _ORIGIN_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    known = found if isinstance(found, dict) else {}
    name, head, events = (" ".join(str(known.get(key) or "").split()) for key in ("campaign", "head", "events"))
    return Origin(name or path.resolve().name, head, events)


def rests_on(path: Path) -> tuple[str, ...]:
    """The metrics and judges that the campaign of an export uses; none where its protocol cannot be read."""
    try:
        decision = read_protocol(path / CAMPAIGN_FOLDER / PROTOCOL_FILE).decision
    except (InputError, UsageError):
        return ()
    return (*decision.metrics, *decision.judges)


def open_export(path: Path) -> LiveCampaign:
    """The campaign in an export, replayed.

    Raises:
        InputError: the export is damaged, or its tables and its events disagree: the text names where.
    """
    inside, tables = path / CAMPAIGN_FOLDER, read_study(path)
    protocol = read_protocol(inside / PROTOCOL_FILE)
    own = without_later(study_for(protocol, tables), protocol, inside / _ROWS_FILE)
    origin = origin_of(path)
    own = replace(own, name=origin.campaign)
    known = _events_in(inside / EVENTS_FILE, origin)
    first = known[0] if known else {}
    if first.get("type") != "campaign-opened":
        message = "the log does not begin with the opening of a campaign; export the campaign again"
        raise InputError([Problem(str(inside / EVENTS_FILE), message, 1)])
    if first.get("protocol") != protocol.fingerprint:
        message = f"the protocol is not the one of this campaign; undo the change, or {_OWN}"
        raise InputError([Problem(str(inside / PROTOCOL_FILE), message)])
    if first.get("study") != own.fingerprint:
        raise _disagreement(path, changed_texts(own, path, inside / _ROWS_FILE))
    campaign = LiveCampaign(path, protocol, own, _Exported(known, origin), known)
    problems = changed_labels(tables, label_rows(campaign, {}, comments=True), path)
    if problems:
        raise _disagreement(path, problems)
    return campaign


_OWN: Final = "add --own-analysis to analyse the labels in the tables afresh"


def event_line(event: StoredEvent) -> bytes:
    """An event as one line of JSON; lone surrogates become escapes."""
    text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _events_in(file: Path, origin: Origin) -> tuple[StoredEvent, ...]:
    """The events of an export, as they were exported.

    Raises:
        InputError: the file cannot be read, or somebody changed it.
    """
    cure = f"undo the change, export the campaign again, or {_OWN}"
    try:
        content = file.read_bytes()
        if origin.events and _digest(content) != origin.events:
            raise InputError([Problem(str(file), f"the events are not those that were exported: {cure}")])
        return tuple(json.loads(line) for line in content.splitlines())
    except (OSError, ValueError) as error:
        raise InputError([Problem(str(file), f"the events cannot be read ({error}): {cure}")]) from error


@dataclass(frozen=True, slots=True)
class _Exported:
    """The events of an export as a store to which nobody writes."""

    events: tuple[StoredEvent, ...]
    origin: Origin

    @property
    def head(self) -> Head:
        """That of the campaign's own log when it was exported."""
        return Head.parse(self.origin.head)

    def read(self, start: int = 0) -> tuple[StoredEvent, ...]:
        """Those after the first `start`."""
        return self.events[start:]

    def append(self, events: Sequence[StoredEvent], *, expected_length: int) -> int:  # noqa: ARG002
        """Refused: an export is what a campaign was."""
        raise UsageError("this is an export, to which nothing is added; use the campaign itself")


def _disagreement(path: Path, problems: Sequence[Problem]) -> InputError:
    """What to do, and then all places."""
    places = "one place" if len(problems) == 1 else f"{len(problems):,} places"
    what = f"its tables are not those of the campaign in it, in {places}: undo the changes, or {_OWN}"
    return InputError([Problem(str(path), what), *problems])


def exported(
    campaign: LiveCampaign, names: Mapping[str, str] = MappingProxyType({}), *, comments: bool = True
) -> Study:
    """The campaign's study with its labels as preferences, in the order in which they came.

    Check tasks are left out: their answers were known. Labels that came too late to be evidence in the campaign are
    there, with `late` true, and withdrawn ones with `withdrawn`; comments in `comment`; the task in `task`. `names`: of
    people who get another one.

    Raises:
        TiebreakError: there are no labels yet.
    """
    study, protocol = campaign.study, campaign.protocol
    said, asked = study.settings, [protocol.criterion, *_scales(protocol)]
    criteria = said.criteria
    # What study.toml says of systems and criteria that are not in the campaign would be taken for misspelt.
    settings = replace(
        said,
        criteria=None if criteria is None or protocol.criterion not in criteria else (protocol.criterion,),
        scale={**{name: ends for name, ends in said.scale.items() if name in asked}, **_scales(protocol)},
        systems={name: known for name, known in said.systems.items() if name in study.systems},
        price_per_label=campaign.state.price,
        currency=protocol.labels.currency,
    )
    return study.relabelled(label_rows(campaign, names, comments=comments), settings)


def _scales(protocol: Protocol) -> dict[str, tuple[float, float]]:
    """Those of what was rated, which whoever estimates from the export has to know."""
    return {of.name: (of.low, of.high) for of in rated_criteria(protocol)} if protocol.rates else {}
