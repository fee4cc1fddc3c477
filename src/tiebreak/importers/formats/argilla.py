"""Argilla: records with the responses of each person (JSON or Parquet; nested, flat, or as before version 2)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

from tiebreak.importers.formats.format import Format, Row, Rows, listed, objects, parsed, placed, text
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import flat, text_of
from tiebreak.tabular.source import Record, Source, Sources

_ANSWERS, _WHO, _STATUS = ".responses", ".responses.users", ".responses.status"
_PARTS: Final = ("user_id", "value", "status")
_OWN: Final = frozenset({
    "id", "external_id", "status", "_server_id", "suggestions", "vectors", "responses", "fields", "metadata",
})  # fmt: skip


def _fits(source: Source) -> bool:
    first = source.first
    nested = bool(first) and all("fields" in r and isinstance(r.get("responses"), Mapping) for r in first)
    flat_ = bool(first) and all(any(key.endswith(_WHO) for key in record) for record in first)
    return nested or flat_ or (all("external_id" in r for r in first) and any(_by_question(r) for r in first))


def _rows(sources: Sources) -> Rows:
    """A row for each person and record; only what was submitted counts, person by person."""
    for place, record in placed(sources):
        asked = _by_question(record)
        name = text(record, "id", "external_id")
        about = {**({"record": name} if name else {}), **_shown(record, asked)}
        people: dict[tuple[str, str], Row] = {}
        for question, responses in asked.items():
            for number, response in enumerate(responses, 1):  # those nested in version 2 have no status
                who = text(response, "user_id") or f"annotator{number}"
                key = (who, text(response, "status") or "submitted")
                people.setdefault(key, {})[question] = _value(response.get("value"))
        for (who, status), answers in people.items():
            yield place, {**about, "user": who, "response_status": status, **answers}


def _shown(record: Record, asked: Mapping[str, object]) -> Row:
    """The fields and metadata of a record."""
    own = {*_OWN, *asked, *(f"{name}-suggestion" for name in asked), *(f"{name}-suggestion-metadata" for name in asked)}
    beside = {k: v for k, v in record.items() if k not in own and _ANSWERS not in k and ".suggestion" not in k}
    parts = (record.get("fields", beside), parsed(record.get("metadata")))  # before version 2 the text of an object
    return {k: v for part in parts if isinstance(part, Mapping) for k, v in flat(part).items()}


def _by_question(record: Record) -> dict[str, list[Record]]:
    """The responses by question: each with its person, value and status."""
    nested = record.get("responses")
    questions = {name: objects(part) for name, part in (nested if isinstance(nested, Mapping) else record).items()}
    for key in record:
        if key.endswith(_WHO):
            columns = [record.get(key), record.get(key.removesuffix(".users")), record.get(key[: -len(_WHO)] + _STATUS)]
            rows = zip_longest(*(column if isinstance(column, list) else [] for column in columns))
            questions[key.removesuffix(_WHO)] = [dict(zip(_PARTS, row, strict=True)) for row in rows]
    return {name: parts for name, parts in questions.items() if parts and all("user_id" in part for part in parts)}


def _remark(sources: Sources) -> str:
    first = [record for source in sources for record in source.first]
    nested = [record for record in first if isinstance(record.get("responses"), Mapping)]
    answers = [part for record in nested for parts in _by_question(record).values() for part in parts]
    remarks = []
    if any("status" not in part for part in answers):
        remarks.append("Drafts and discarded responses count: these records do not tell them apart.")
    if any("suggestion" in key and record[key] for record in first for key in record):
        remarks.append("Suggestions are answers of models, and are not read.")
    return " ".join(remarks)


def _value(value: object) -> str:
    """An answer as text; a ranking as `x > y`."""
    ranked = [part for part in value if isinstance(part, Mapping) and "rank" in part] if isinstance(value, list) else []
    if ranked:
        by_rank: dict[float, list[str]] = {}
        for part in ranked:
            by_rank.setdefault(float(text_of(part["rank"])), []).append(text(part, "value"))
        return " > ".join(" = ".join(by_rank[rank]) for rank in sorted(by_rank))
    return listed(value)


FORMAT: Final = Format(
    "argilla",
    "Argilla records",
    _fits,
    remark=_remark,
    rows=_rows,
    recipe=Recipe(
        fields={"item": "record", "annotator": "user"}, skip={"response_status": ["draft", "discarded", "pending"]}
    ),
)
