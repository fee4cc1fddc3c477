"""What looks odd in the tables of a study, and need not be wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from tiebreak.errors import did_you_mean
from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import percent
from tiebreak.records import Notice

_SHOWN: Final = 6
_PERHAPS_MANY_PEOPLE: Final = 0.2
"""Share of rows that repeat others, above which one name may stand for several people."""
_ROWS: Final[Mapping[str, str]] = {
    "outputs": "outputs",
    "preferences": "preferences",
    "ratings": "ratings",
    "edits": "edits",
    "spans": "marked spans",
    "scores": "scores",
    "judge_preferences": "judgements",
}
"""By table that names systems, what a row of it is."""
_NAMES: Final = {
    "item": "items",
    "system": "systems",
    "annotator": "annotators",
    "criterion": "criteria",
    "metric": "metrics",
    "judge": "judges",
}

UNMATCHED: Final = NoticeKind(
    "unmatched-names",
    "rows name outputs, samples or passages that are not there, only one table knows a system, or names look alike",
    "correct the names, or add what is missing",
)
UNUSED: Final = NoticeKind(
    "unused",
    "study.toml names what no table has, a file is nearly named like a table, or an unknown column has mixed types",
    "check the spelling, or remove it",
)
REPEATED: Final = NoticeKind(
    "repeated-rows", "rows repeat others; copies count once", "see that no file was merged twice"
)
LABELS_LEFT_OUT: Final = NoticeKind(
    "labels-left-out",
    "labels or verdicts of judges do not count; the text says why",
    "report what is left out; change criteria, raters or the budget if it should count",
)
LEARNED_FROM: Final = NoticeKind(
    "learned-from",
    "answers are left out on items that the answering model learned from",
    "train it with folds, or on other items",
)
KINDS: Final = (UNMATCHED, UNUSED, REPEATED, LEARNED_FROM)
ABOUT_TABLES: Final = frozenset(kind.code for kind in (UNMATCHED, LABELS_LEFT_OUT))
"""Codes of the notices about what the tables hold."""

Lacking = Literal["output", "sample", "passage"]


def unmatched(what: Lacking, table: str, rows: int, of: int, first: Mapping[str, str | None]) -> Notice:
    """`rows` of a table that name an output, sample or passage which is not there; the names in the first of them."""
    named = ", ".join(f"{column} {'none' if name is None else name}" for column, name in first.items())
    noun = "an output" if what == "output" else f"a {what}"
    text = f"{rows:,} of {of:,} rows of {table} name {noun} that is not there (the first: {named})"
    return UNMATCHED.notice(text, table=table, lacking=what, rows=rows, **first)


def single_table(table: str, systems: Sequence[str], others: Sequence[str], near: Mapping[str, str]) -> Notice:
    """Systems that only one table knows, of those that name systems; `near`: names that were perhaps meant."""
    shown = [f"{name} ({near[name]})" if near[name] else name for name in systems[:_SHOWN]]
    more = f" and {len(systems) - _SHOWN} more" if len(systems) > _SHOWN else ""
    without = [_ROWS[other] for other in others]
    lacking = f"{', '.join(without[:-1])} or {without[-1]}" if without[1:] else without[0]
    have = "system has" if len(systems) == 1 else "systems have"
    text = f"{len(systems):,} {have} {_ROWS[table]}, but no {lacking}: {', '.join(shown)}{more}"
    return UNMATCHED.notice(text, table=table, systems=list(systems))


def similar_names(column: str, groups: Sequence[Sequence[str]]) -> Notice:
    """Names that a reader takes for one."""
    first = " and ".join(map(_visible, groups[0]))
    text = (
        f"{_NAMES[column]} that look alike are kept apart: they differ by case, spaces, invisible characters or the "
        f"form of a letter ({len(groups):,} such group{'s' if len(groups) > 1 else ''}; the first: {first})"
    )
    return UNMATCHED.notice(text, column=column, groups=[list(of) for of in groups[:_SHOWN]], count=len(groups))


def unparsed_replies(by_judge: Mapping[str, int], of: int) -> Notice:
    """Replies of judges without an outcome, of so many."""
    rows = sum(by_judge.values())
    parts = ", ".join(f"{judge} {count:,}" for judge, count in by_judge.items())
    text = f"{rows:,} of {of:,} judge preferences have no outcome (replies that did not parse): {parts}"
    return LABELS_LEFT_OUT.notice(text, rows=rows, judges=dict(by_judge))


def _visible(name: str) -> str:
    """A name with what a reader cannot see in it, or take for something else, spelt out."""
    return repr(name) if unicodedata.is_normalized("NFKC", name) else ascii(name)


Kind = Literal["system", "criterion", "metric"]


def unknown_setting(kind: Kind, name: str, known: Iterable[str]) -> Notice:
    """A name in study.toml that no label, score or output has."""
    return UNUSED.notice(
        f"study.toml names the {kind} {name}, which no table has{did_you_mean(name, known)}", **{kind: name}
    )


def needless_scale(criterion: str, source: str) -> Notice:
    """A scale for a criterion that is derived from a table and has its own."""
    text = f"study.toml gives a scale for {criterion}, which is derived from {source} and has its own"
    return UNUSED.notice(text, criterion=criterion)


def mixed_column(file: str, column: str) -> Notice:
    """An unknown column with values of several types."""
    text = f"{file}: the column {column} holds values of different types; it is kept as JSON text"
    return UNUSED.notice(text, table=file, column=column)


def unread_file(file: str, hint: str) -> Notice:
    """A file that was perhaps meant as a table; `hint`: as which."""
    return UNUSED.notice(f"{file} is not read, since no table has this name{hint}", file=file)


def repeated_rows(
    table: str, rows: int, *, judged_by: str, copies: int, same: int, different: int, untold: int, by_time: bool
) -> Notice:
    """What was made of rows that repeat others, of a table of so many.

    `copies` are exact. Judgements made again by the same person or judge (`judged_by`) agree with the first (`same`)
    or do not (`different`); of the copies, `untold` may be such ones too, as no time tells them.
    """
    again, parts = same + different, []
    if copies:
        parts.append(f"{copies:,} exact cop{'y does' if copies == 1 else 'ies do'} not count")
    if again:
        made = f"{again:,} judge{'ment was' if again == 1 else 'ments were'} made again by the same {judged_by}"
        parts.append(f"{made}, {different:,} of them with another answer; these count once")
    text = f"{table}: {'; '.join(parts)}"
    if different and copies + again > _PERHAPS_MANY_PEOPLE * rows:
        text += f". If one {judged_by} stands for several people, give each a name of their own"
    return REPEATED.notice(
        text,
        table=table,
        rows=rows,
        copies=copies,
        again=again,
        agreeing=None if untold else same,
        agreeing_at_most=same + untold,
        by_time=by_time,
    )


def learned_from(words: str, name: str, items: int, others: int) -> Notice:
    """Answers of a metric or judge that are left out on `items`, and count on `others`; `words`: which, and why."""
    return LEARNED_FROM.notice(f"{words[0].upper()}{words[1:]}.", name=name, items=items, others=others)


def systems_note(measure: str, level: float, *, intervals: bool, letters: bool, unmet: bool) -> str:
    """What the figures of a table of systems are; `level`: of intervals; `unmet`: some pairs were never compared."""
    said = measure.capitalize()
    if measure == "win rate":
        said += ": how often a system is preferred over another one, ties half, on average over the others"
    if intervals:
        said += f", with a {percent(level)} interval for each figure by itself"
    said += "."
    if letters:
        never = ", or were never compared" if unmet else ""
        said += f" Systems that share a letter are not told apart by a verdict{never}."
    return said
