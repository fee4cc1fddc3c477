"""A campaign as a study: its texts and labels as tables, and the campaign itself beside them.

`compare EXPORT` replays the campaign in it through the same `step`, and so relays its verdict. The tables are for
everything else; where they and the events disagree, somebody has changed one of them.

Where the tables of an export are no longer those of the campaign in it.

The labels of a campaign as rows of the tables of a study.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

import polars as pl

from tiebreak.campaign import Protocol, protocol_to_toml
from tiebreak.campaign.events import AnswerHeld, AnswerUndone, CrowdStudy, LabelGiven, event_to_json
from tiebreak.campaign.kinds import ItemTexts, kind_of
from tiebreak.data.columns import completed
from tiebreak.data.readers import read_study
from tiebreak.data.schema import LABEL_TABLES, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.data.writers import Format, write_study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import write_synced, writing
from tiebreak.live.answers import new_names, renamed, without_remarks
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.folder import CAMPAIGN_FOLDER, PROTOCOL_FILE, has_log, read_protocol, study_for
from tiebreak.live.ledger import TaskLedger, TaskRecord
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
    shown = [renamed(event if comments else without_remarks(event), names) for event in events]
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
    return {of.name: (of.low, of.high) for of in protocol.rated_criteria} if protocol.rates else {}


_MARKS: Final = ("task", "comment", "late", "withdrawn", "set_aside")
"""Columns that an export has beside those of a study."""

_ANSWERS: Final[Mapping[TableName, tuple[str, ...]]] = {
    "preferences": ("task", "system_a", "system_b"),
    "ratings": ("task", "criterion"),
    "edits": ("task",),
    "spans": ("task", "passage"),
}
"""By table of labels, what tells its rows apart in an export."""


def row_fingerprints(study: Study) -> str:
    """A JSON document with a short fingerprint of each row of each table: it tells later which row was changed."""
    found = {name: dict(_fingerprints(frame, name)) for name, frame in study.tables.items()}
    return json.dumps(found, ensure_ascii=False, indent=0) + "\n"


def without_later(study: Study, protocol: Protocol, rows_file: Path) -> Study:
    """The study without what metrics and judges said that came into the export later: no verdict of the campaign rests
    on them. Its own, which the protocol names, stay as they are, changed or not.
    """
    before = _rows_before(rows_file)
    kept: dict[str, pl.DataFrame] = {}
    for name, who, own in (
        ("scores", "metric", protocol.decision.metrics), ("judge_preferences", "judge", protocol.decision.judges),
    ):  # fmt: skip
        frame = study.tables.get(name)  # type: ignore[call-overload]
        if frame is not None:
            then = before.get(name, {})
            known = [key in then for key, _ in _fingerprints(frame, name)]  # type: ignore[arg-type]
            kept[name] = frame.filter(pl.Series(known, dtype=pl.Boolean) | pl.col(who).is_in(list(own)))
    return replace(study, **kept)  # type: ignore[arg-type]


def changed_texts(study: Study, folder: Path, rows_file: Path) -> list[Problem]:
    """The rows of items, outputs, scores and judge preferences that were changed, added or taken away; at least one
    problem: the study is known to be another.
    """
    before = _rows_before(rows_file)
    if not before:
        return [Problem(str(folder), "the texts are not those of the campaign in this export")]
    problems = []
    for name in TABLES:
        frame = study.tables.get(name)
        now = {} if frame is None else dict(_fingerprints(frame, name))
        rows = {} if frame is None else {key: row for row, (key, _) in enumerate(_fingerprints(frame, name), 1)}
        then = before.get(name, {})
        file = _file(folder, name)
        for key in [*now, *(key for key in then if key not in now)]:
            if key not in then:
                problems.append(Problem(file, f"row {rows[key]:,} ({key}) is not in the campaign"))
            elif key not in now:
                problems.append(Problem(file, f"the row {key} is missing"))
            elif now[key] != then[key]:
                problems.append(Problem(file, f"row {rows[key]:,} ({key}) was changed"))
    return problems or [Problem(str(folder), "the texts are not those of the campaign in this export")]


def _rows_before(rows_file: Path) -> Mapping[str, Mapping[str, str]]:
    """By table and key the fingerprints of its rows when it was exported; none where that is lost."""
    try:
        before = json.loads(rows_file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return before if isinstance(before, dict) else {}


def changed_labels(
    tables: Study, expected: Mapping[TableName, Sequence[Mapping[str, object]]], folder: Path
) -> list[Problem]:
    """The labels of the tables that are not those of the events: changed, added, or taken away.

    `expected`: the rows of each table that the events make.
    """
    problems = []
    for name in LABEL_TABLES:
        frame, rows = tables.tables.get(name), expected.get(name, ())
        if frame is not None or rows:
            problems += _changed(frame, rows, name, _file(folder, name))
    return problems


def _changed(
    frame: pl.DataFrame | None, expected: Sequence[Mapping[str, object]], name: TableName, file: str
) -> list[Problem]:
    if frame is None:
        return [Problem(file, "the labels of the campaign are missing")]
    if "task" not in frame.columns:
        return [Problem(file, "the column task is missing, which says what each label answers", column="task")]
    key = _ANSWERS[name]
    then = {tuple(_plain(row[column]) for column in key): row for row in expected}
    columns = [column for column in (*TABLES[name].known, *_MARKS) if column not in key]
    problems, seen = [], set()
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        which = tuple(_plain(row[column]) for column in key)
        words = f"task {which[0] or '(none)'}{''.join(f', {part}' for part in which[1:])}"
        known = then.get(which)
        if known is None or which in seen:
            what = "is there twice" if which in seen else "is not a label of the campaign"
            problems.append(Problem(file, f"row {number:,}, {words}: {what}"))
            continue
        seen.add(which)
        problems += [
            Problem(file, f"row {number:,}, {words}: {column} is {now!r} in the table, but {before!r} in the events")
            for column in columns
            if (now := _plain(row.get(column))) != (before := _plain(known.get(column)))
        ]
    missing = [which for which in then if which not in seen]
    return problems + [Problem(file, f"task {', '.join(which)}: its label is missing") for which in missing]


@dataclass(frozen=True, slots=True)
class NotCounted:
    """Tasks of labels that an analysis of an export leaves out: `late` for the campaign, or else `withdrawn`, or else
    `set_aside` (too fast, say).
    """

    late: frozenset[str]
    withdrawn: frozenset[str]
    set_aside: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """All of them."""
        return self.late | self.withdrawn | self.set_aside


def not_counted(frame: pl.DataFrame | None) -> NotCounted:
    """By the columns `late`, `withdrawn` and `set_aside` of an export's labels."""
    late, withdrawn, aside = (frozenset(_marked(frame, name)) for name in ("late", "withdrawn", "set_aside"))
    return NotCounted(late, withdrawn - late, aside - withdrawn - late)


def _marked(frame: pl.DataFrame | None, column: str) -> Iterator[str]:
    if frame is not None and column in frame.columns and "task" in frame.columns:
        yield from (_plain(row["task"]) for row in frame.iter_rows(named=True) if _plain(row[column]) == "true")


def _plain(value: object) -> str:
    """A value alike in every format of tables: nothing as "", true and false as words, whole numbers as such."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fingerprints(frame: pl.DataFrame, name: TableName) -> Iterator[tuple[str, str]]:
    """The key of each row in words, and a fingerprint of its known columns."""
    spec = TABLES[name]
    columns = [column for column in spec.known if column in frame.columns]
    key = [column for column in spec.known if column in (*spec.key, *spec.system_columns) and column in frame.columns]
    for row in frame.iter_rows(named=True):
        words = ", ".join(_plain(row[column]) for column in key if row[column] is not None)
        text = json.dumps([row[column] for column in columns], ensure_ascii=False, default=str)
        yield words, hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _file(folder: Path, name: TableName) -> str:
    """The file of a table, as it lies there."""
    found = sorted(path for path in folder.glob(f"{name}.*") if path.suffix in (".csv", ".jsonl", ".parquet"))
    return str(found[0] if found else folder / f"{name}.csv")


def labels_in_time(campaign: LiveCampaign) -> pl.DataFrame | None:
    """The labels that are evidence, or may become it: no check tasks, late or withdrawn ones. None before the first.

    As they are, without the checks of a table that somebody wrote, and without their times: a campaign has an order of
    its own.
    """
    return _frame(campaign, _in_time(campaign.ledger))


def labels_in_evidence(campaign: LiveCampaign) -> pl.DataFrame | None:
    """`labels_in_time` without those that still wait for others: the labels that verdicts rest on."""
    state = campaign.state
    waiting = {
        (*plan.systems, state.plan.items[place.item], annotator)
        for plan, pair in zip(state.plan.tracks, state.tracks, strict=True)
        for unit in pair.open.values()
        for place in unit
        for annotator, _ in place.answers
    }
    in_time = _in_time(campaign.ledger)
    return _frame(campaign, [of for of in in_time if (*of.item, of.assigned.annotator) not in waiting])


def _in_time(ledger: TaskLedger) -> list[TaskRecord]:
    return [record for record in _one_each(ledger) if record.counts and not ledger.counts_no_more(record)]


def _frame(campaign: LiveCampaign, records: Sequence[TaskRecord]) -> pl.DataFrame | None:
    """Answered tasks as preferences without times; None without any."""
    kind, rows = kind_of(campaign.protocol), []
    for record in records:
        of, label = record.assigned, cast(LabelGiven, record.label)
        shared = {"item": of.item, "annotator": of.annotator, "seconds": label.seconds}
        rows += [shared | row for row in kind.rows(campaign.protocol, of, label.response, ItemTexts())["preferences"]]
    names = ("item", "system_a", "system_b", "annotator", "outcome", "criterion", "left")
    schema = dict.fromkeys(names, pl.String) | {"seconds": pl.Float64}
    return completed(pl.DataFrame(rows, schema=schema), "preferences") if rows else None


def label_rows(
    campaign: LiveCampaign, names: Mapping[str, str], *, comments: bool
) -> dict[TableName, list[dict[str, object]]]:
    """The rows of all labels but those of check tasks, by table. `names`: of people who get another one.

    Labels that are no evidence are there, with `late`, `withdrawn` or `set_aside` true; of two answers of a person on
    one item (to a task that was taken back, and to the one that they got instead) only the one that is evidence. The
    time of a task stands in its first row: it was spent once.

    Raises:
        TiebreakError: there are no labels yet.
    """
    protocol, kind = campaign.protocol, kind_of(campaign.protocol)
    records = _one_each(campaign.ledger)
    sets_aside = protocol.rates or protocol.people.least_seconds is not None
    found: dict[TableName, list[dict[str, object]]] = {}
    for record in records:
        of, label = record.assigned, cast(LabelGiven, record.label)
        of_task = campaign.texts.of_task(of, kind)
        shared: dict[str, object] = {
            "item": of.item,
            "annotator": names.get(of.annotator, of.annotator),
            "decided_at": label.at,
            "task": of.task,
        }
        marks = {"late": record.late, "withdrawn": campaign.ledger.is_withdrawn(record)}
        marks |= {"set_aside": record.set_aside} if sets_aside else {}
        for number, (table, rows) in enumerate(kind.rows(protocol, of, label.response, of_task).items()):
            for place, row in enumerate(rows):
                first = number == place == 0
                said: dict[str, object] = {
                    "seconds": float(label.seconds) if first and label.seconds is not None else None,
                    "comment": label.comment if first and comments else None,
                }
                found.setdefault(table, []).append(shared | row | (said | marks if number == 0 else {}))
    if not found:
        raise TiebreakError(f"{campaign.folder} has no labels yet; hand out a sheet, and collect it")
    return found


def _one_each(ledger: TaskLedger) -> list[TaskRecord]:
    """The answered tasks that are no checks, in the order of the answers, one for each person, item and pair."""
    answered = [record for record in ledger.labelled if not record.is_check]
    chosen: dict[tuple[str, ...], TaskRecord] = {}
    for record in answered:
        key = (record.assigned.annotator, *record.item)
        if key not in chosen or (record.counts and not chosen[key].counts):
            chosen[key] = record
    kept = {record.assigned.task for record in chosen.values()}
    return [record for record in answered if record.assigned.task in kept]
