"""A study in memory: checked tables, settings, and what was noticed while reading.

Tables that nobody can change: whoever asks for one gets a frame of their own, which shares the data.

Frames have methods that change them in place. A copy is cheap, since polars copies a column only when it is written to.

Studies in which systems have several outputs for one item, where one is wanted.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import overload

import polars as pl

from tiebreak.data.notices import content_notices, names_in, table_notices
from tiebreak.data.problems import ProblemLog
from tiebreak.data.provenance import (
    SPEAKERS,
    LeftOut,
    Meaning,
    PassedOver,
    passed_over,
    without_learned,
)
from tiebreak.data.schema import LABEL_TABLES, NEEDED, TABLES, TableName
from tiebreak.data.settings import StudySettings
from tiebreak.data.tables import distinct, fingerprint_of, fingerprint_of_labels, table_from_memory
from tiebreak.data.validation import CheckedTable, check_scales, check_table
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.messages.tables import ABOUT_TABLES, LEARNED_FROM
from tiebreak.numbers import listed_names
from tiebreak.records import Kind, Notice


class KeptTable:
    """A field of a dataclass for a table or None; kept under its name with an underscore before it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}"

    @overload
    def __get__(self, record: None, owner: type) -> None: ...
    @overload
    def __get__(self, record: object, owner: type) -> pl.DataFrame | None: ...
    def __get__(self, record: object | None, owner: type) -> pl.DataFrame | None:
        if record is None:
            return None  # the default of the field
        frame: pl.DataFrame | None = record.__dict__[self._name]
        return None if frame is None else frame.clone()

    def __set__(self, record: object, frame: pl.DataFrame | None) -> None:
        record.__dict__[self._name] = None if frame is None else frame.clone()


class KeptTables(Mapping[TableName, pl.DataFrame]):
    """Tables by name."""

    def __init__(self, frames: Mapping[TableName, pl.DataFrame]) -> None:
        self._frames = {name: frame.clone() for name, frame in frames.items()}

    def __getitem__(self, name: TableName) -> pl.DataFrame:
        return self._frames[name].clone()

    def __iter__(self) -> Iterator[TableName]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


__all__ = ["Study", "StudySettings"]


@dataclass(frozen=True, eq=False)
class Study:
    """The data of one study. Make it with `read_study` or `Study.from_tables`, which check everything.

    Each table is a polars frame or None if the study lacks it: known columns first (optional ones that are
    absent are there, all null), then the columns that tiebreak does not know, as they came. Names are text
    exactly as written; numbers are Float64; `outcome` is a, tie or b (null in
    `judge_preferences`: the reply did not parse); an empty criterion is null. `notices` are warnings about the
    data, not errors. `with_repeats`: the tables in which rows repeat others, with these rows as they came; the tables
    themselves have one row per key. `derived`: criteria whose `ratings` nobody gave: they were made of edits and spans
    for an analysis, and a study that was read has none. `signatures`: what those of scores and judgements stand for.
    `passed_over`: by kind and name, metrics and judges that say something in the study of which `select` made this one,
    but nothing of its systems, or that learned from all of its items. Scores and judgements on items that the
    answering model learned from are in `with_repeats` only.

    A study can be pickled, and does not change: every table that it gives away is a frame of its own, so that what is
    done to it in place changes neither the study nor its fingerprint.
    """

    name: str
    path: Path | None
    items: KeptTable = KeptTable()
    passages: KeptTable = KeptTable()
    outputs: KeptTable = KeptTable()
    preferences: KeptTable = KeptTable()
    ratings: KeptTable = KeptTable()
    edits: KeptTable = KeptTable()
    spans: KeptTable = KeptTable()
    scores: KeptTable = KeptTable()
    judge_preferences: KeptTable = KeptTable()
    settings: StudySettings = field(default_factory=StudySettings)
    notices: tuple[Notice, ...] = ()
    with_repeats: Mapping[TableName, pl.DataFrame] = field(default_factory=dict)
    derived: tuple[str, ...] = ()
    signatures: Mapping[str, Meaning] = field(default_factory=dict)
    passed_over: Mapping[tuple[Kind, str], PassedOver | LeftOut] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "with_repeats", KeptTables(self.with_repeats))

    @property
    def tables(self) -> dict[TableName, pl.DataFrame]:
        """The tables that the study has, by name."""
        frames = {name: getattr(self, name) for name in TABLES}
        return {name: frame for name, frame in frames.items() if frame is not None}

    @property
    def tables_as_read(self) -> dict[TableName, pl.DataFrame]:
        """The tables as they are written: with rows that repeat others, and with answers that are left out."""
        left_out = {name: frame for name, frame in self.with_repeats.items() if name in SPEAKERS}
        return {name: self.with_repeats.get(name, frame) for name, frame in self.tables.items()} | left_out

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """All systems that any table names, sorted."""
        return tuple(sorted(set().union(*names_in(self.tables, "system").values())))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The systems that are compared: all but those that study.toml calls references and that nobody labelled."""
        known, labels = self.settings.systems, {name: f for name, f in self.tables.items() if name in LABEL_TABLES}
        labelled = set[str]().union(*names_in(labels, "system").values())
        return tuple(s for s in self.systems if s in labelled or s not in known or not known[s].reference)

    @cached_property
    def criteria(self) -> tuple[str | None, ...]:
        """Criteria that have human labels: None (preferences without one), those of the settings, others."""
        labelled: set[str | None] = set()
        for frame in (self.preferences, self.ratings):
            if frame is not None:
                labelled.update(distinct(frame["criterion"]))
        listed = [name for name in self.settings.criteria or () if name in labelled]
        others = sorted(name for name in labelled if name is not None and name not in listed)
        return (*((None,) if None in labelled else ()), *listed, *others)

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """The people who gave labels of any kind, sorted."""
        return tuple(sorted(set().union(*names_in(self.tables, "annotator").values())))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the content, whatever the order of rows and columns and the format of the files."""
        return fingerprint_of(self.tables)

    @cached_property
    def label_fingerprint(self) -> str:
        """SHA-256 (hex) of what people said of what; who, when, and a metric that comes later do not change it, nor do
        criteria that are derived.
        """
        ratings = self.ratings
        if ratings is not None and self.derived:
            ratings = ratings.filter(~pl.col("criterion").is_in(self.derived))
        given = None if ratings is None or not ratings.height else ratings
        return fingerprint_of_labels(self.preferences, given, self.edits, self.spans)

    def select(
        self,
        systems: Sequence[str] | None = None,
        annotators: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
    ) -> Study:
        """The study with only these systems (pairs: both of them) and annotators (globs such as `expert_*`).

        `exclude`: without these annotators (globs or names). Items stay; a table of which nothing is left is None.
        Raises UsageError for an unknown system, for a glob that matches nobody, and where nobody is left.
        """
        if systems is not None:
            _check_names("system", systems, self.systems)
        people = None if annotators is None else _matching(annotators, self.annotators)
        if exclude is not None:
            people = _without(exclude, self.annotators, self.annotators if people is None else people)
        if set(self.systems) <= set(systems or self.systems) and set(self.annotators) <= set(people or self.annotators):
            return self

        def chosen(name: TableName, frame: pl.DataFrame) -> pl.DataFrame:
            if systems is not None:
                frame = _with_systems(frame, name, systems)
            if people is not None and "annotator" in frame.columns:
                frame = frame.filter(pl.col("annotator").is_in(people))
            return frame

        tables = {name: chosen(name, frame) for name, frame in self.tables.items()}
        repeats = {name: chosen(name, frame) for name, frame in self.with_repeats.items()}
        # What study.toml says is about the whole study: names that are not chosen here are no misspellings.
        kept = tuple(notice for notice in self.notices if notice.code not in ABOUT_TABLES)
        left = {name: frame if frame.height else None for name, frame in tables.items()}
        present = {name: frame for name, frame in left.items() if frame is not None}
        return replace(
            self,
            notices=kept + table_notices(present, self.settings),
            with_repeats=repeats,
            passed_over={**self.passed_over, **passed_over(self.tables, present)},
            **left,  # type: ignore[arg-type]
        )

    def notices_for(self, metrics: Sequence[str], judges: Sequence[str]) -> tuple[Notice, ...]:
        """The notices; of metrics and judges that are left out on items only about those named, ("all",) being every
        one.
        """
        asked = {
            name
            for table, names in zip(SPEAKERS, (metrics, judges), strict=True)
            for name in (self._said_by(table) if tuple(names) == ("all",) else names)
        }
        return tuple(
            notice
            for notice in self.notices
            if (notice.code != LEARNED_FROM.code or notice.details["name"] in asked)
            and ("judges" not in notice.details or asked & set(notice.details["judges"]))  # type: ignore[call-overload]
        )

    def _said_by(self, table: TableName) -> set[str]:
        """The metrics of the scores, or the judges of the judgements."""
        frame, kind = self.tables.get(table), SPEAKERS[table]
        passed = {name for speaker, name in self.passed_over if speaker == kind}
        return passed if frame is None else passed | distinct(frame[kind])

    def with_signatures(self, signatures: Mapping[str, Meaning]) -> Study:
        """The study whose signatures stand for this, without answers on items that the answering model learned from."""
        left, losses = without_learned(self.tables, self.tables_as_read, signatures)
        emptied = {(loss.kind, loss.name): loss for loss in losses if not loss.others}
        return replace(
            self,
            signatures=signatures,
            notices=(*self.notices, *(loss.notice for loss in losses)),
            with_repeats={name: self.tables_as_read[name] for name in left} | dict(self.with_repeats),
            passed_over={**self.passed_over, **emptied},
            **{name: frame if frame.height else None for name, frame in left.items()},  # type: ignore[arg-type]
        )

    @classmethod
    def from_tables(
        cls,
        *,
        outputs: object | None = None,
        items: object | None = None,
        preferences: object | None = None,
        ratings: object | None = None,
        scores: object | None = None,
        judge_preferences: object | None = None,
        passages: object | None = None,
        edits: object | None = None,
        spans: object | None = None,
        settings: StudySettings | None = None,
        name: str = "study",
    ) -> Study:
        """A study from tables in memory: polars, pandas or Arrow tables, or lists of dicts.

        Checked as files are; an InputError then names the table and the 1-based row. Raises UsageError if there
        are neither outputs nor human labels (preferences, ratings, edits or spans).
        """
        given: dict[TableName, object | None] = {
            "items": items,
            "outputs": outputs,
            "preferences": preferences,
            "ratings": ratings,
            "scores": scores,
            "judge_preferences": judge_preferences,
            "passages": passages,
            "edits": edits,
            "spans": spans,
        }
        if all(given[table] is None for table in NEEDED):
            raise UsageError(f"a study needs at least one of {', '.join(NEEDED[:-1])} and {NEEDED[-1]}")
        log = ProblemLog()
        tables: dict[TableName, CheckedTable] = {}
        for table in TABLES:
            if given[table] is not None and (checked := _checked(table, given[table], log)) is not None:
                tables[table] = checked
        chosen = settings or StudySettings()
        if "ratings" in tables:
            check_scales(tables["ratings"].frame, chosen.scale, "ratings (table)", log)
        log.raise_if_any()
        return assemble(name, None, tables, chosen, log.notices)

    def relabelled(self, labels: Mapping[TableName, object], settings: StudySettings) -> Study:
        """The study with these tables of labels, checked as files are, in place of the human labels that it has.

        What `from_tables` makes of its tables and them, without checking once more what has been checked.
        """
        log = ProblemLog()
        checked = {name: _checked(name, source, log) for name, source in labels.items()}
        log.raise_if_any()
        kept = {name: frame for name, frame in self.tables.items() if name not in LABEL_TABLES}
        tables = {name: CheckedTable(frame) for name, frame in kept.items()}
        tables |= {name: table for name, table in checked.items() if table is not None}
        return replace(assemble(self.name, None, tables, settings, log.notices), signatures=self.signatures)


def _checked(table: TableName, source: object, log: ProblemLog) -> CheckedTable | None:
    """One table in memory; None where the log now says what is wrong with it."""
    return check_table(partial(table_from_memory, source, TABLES[table]), TABLES[table], log)


def assemble(
    name: str,
    path: Path | None,
    tables: Mapping[TableName, CheckedTable],
    settings: StudySettings,
    notices: Iterable[Notice],
) -> Study:
    """A study from tables that are checked already; adds the notices that the content gives rise to."""
    frames = {name: table.frame for name, table in tables.items()}
    return Study(
        name=name,
        path=path,
        settings=settings,
        notices=(*notices, *content_notices(frames, settings)),
        with_repeats={name: table.as_read for name, table in tables.items() if table.as_read is not None},
        **frames,  # type: ignore[arg-type]
    )


def _check_names(what: str, asked: Sequence[str], known: Sequence[str]) -> None:
    if isinstance(asked, str):
        raise UsageError(f"{what}s must be a list of names, not the text {asked!r}")
    if not asked:
        raise UsageError(f"no {what} was named; name at least one of {_some(known)}")
    for name in asked:
        if name not in known:
            hint = did_you_mean(name, known) or f"; the study has {_some(known)}"
            raise UsageError(f"no {what} {name!r} in the study{hint}")


def _matching(globs: Sequence[str], known: Sequence[str]) -> list[str]:
    if isinstance(globs, str):
        raise UsageError(f"annotators must be a list of names or patterns, not the text {globs!r}")
    if not globs:
        raise UsageError("no annotator was named")
    for glob in globs:
        if not any(fnmatch.fnmatchcase(name, glob) or name == glob for name in known):
            hint = did_you_mean(glob, known) or f"; the study has {_some(known)}"
            raise UsageError(f"no annotator matches {glob!r}{hint}")
    return [name for name in known if any(fnmatch.fnmatchcase(name, glob) or name == glob for glob in globs)]


def _without(globs: Sequence[str], known: Sequence[str], people: Sequence[str]) -> list[str]:
    """Those of the people whom no glob matches."""
    out = set(_matching(globs, known))
    left = [name for name in people if name not in out]
    if not left:
        raise UsageError(f"nobody is left without {', '.join(globs)}; the study has {_some(known)}")
    return left


def _some(names: Sequence[str]) -> str:
    if not names:
        return "none"
    return listed_names(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _with_systems(frame: pl.DataFrame, name: TableName, systems: Sequence[str]) -> pl.DataFrame:
    columns = TABLES[name].system_columns
    if not columns:
        return frame
    return frame.filter(pl.all_horizontal(pl.col(column).is_in(list(systems)) for column in columns))


def with_one_sample(study: Study, who: str) -> Study:
    """The study without names of samples, which one output per item and system does not need.

    Raises:
        InputError: some system has several samples for an item; it names the first. `who` takes one ("a campaign").
    """
    mentioned = [
        frame.select("item", system=pl.col(system), sample=pl.col(sample)).drop_nulls()
        for name, frame in study.tables.items()
        for system, sample in TABLES[name].samples
    ]
    named = [frame for frame in mentioned if frame.height]
    if not named:
        return study
    counted = pl.concat(named).unique().group_by("item", "system").len().filter(pl.col("len") > 1)
    if counted.height:
        item, system, samples = counted.sort("item", "system").row(0)
        items = counted["item"].n_unique()
        message = (
            f"systems have several samples of {items:,} item{'s' if items > 1 else ''} (the first: item {item}, system "
            f"{system}, with {samples:,}), and {who} takes one output per item and system: keep one sample of each"
        )
        raise InputError([Problem(str(study.path or study.name), message)])
    return without_samples(study)


def without_samples(study: Study) -> Study:
    """The study whose rows name no samples."""
    tables = {
        name: frame.with_columns(pl.lit(None, pl.String).alias(sample) for _, sample in TABLES[name].samples)
        for name, frame in study.tables.items()
    }
    return replace(study, **tables)  # type: ignore[arg-type]
