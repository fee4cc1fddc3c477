"""The texts of a study, by item and system, as questions show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Output:
    """A text, and the sample that it is."""

    text: str
    sample: str | None


@dataclass(frozen=True, slots=True)
class StudyTexts:
    """`shown` by item: what its input, context and reference are, where it has them; `outputs` by item and system, in
    the order of their samples.
    """

    shown: Mapping[str, Mapping[str, str]]
    outputs: Mapping[str, Mapping[str, Sequence[Output]]]

    @property
    def systems(self) -> tuple[str, ...]:
        """Those that have outputs, sorted."""
        return tuple(sorted(set().union(*self.outputs.values())))


def texts_of(study: Study) -> StudyTexts:
    """The texts of a study.

    Raises:
        InputError: it has no outputs, which are what a judge reads.
    """
    if study.outputs is None:
        message = "has no outputs (item, system, text), which are what a judge reads"
        raise InputError([Problem(str(study.path or study.name), message)])
    outputs: dict[str, dict[str, list[Output]]] = {}
    rows = study.outputs.sort("sample", maintain_order=True, nulls_last=False).select(
        "item", "system", "sample", "text"
    )
    for item, system, sample, text in rows.iter_rows():
        outputs.setdefault(item, {}).setdefault(system, []).append(Output(text or "", sample))
    return StudyTexts(_shown(study.items), outputs)


def _shown(items: pl.DataFrame | None) -> dict[str, dict[str, str]]:
    if items is None:
        return {}
    columns = [name for name in ("input", "context", "reference", "references") if name in items.columns]
    found: dict[str, dict[str, str]] = {}
    for row in items.select("item", *columns).iter_rows(named=True):
        texts = {name: row[name] for name in ("input", "context") if (row.get(name) or "").strip()}
        reference = _reference(row.get("reference")) or _reference(row.get("references"))
        found[row["item"]] = texts | ({"reference": reference} if reference else {})
    return found


def _reference(value: object) -> str:
    """One text of a reference: several below one another."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return "\n\n".join(str(text) for text in value if text is not None and str(text).strip())
    return "" if value is None else str(value).strip()
