"""What a metric is: a small class that gives every output of a batch a number. And what it is given of a study.

@dataclass(frozen=True, kw_only=True)
class Capitals(Metric):
    name: str = "capitals"
    words: str = "Share of capital letters"
    higher_is_better: bool | None = None

    def settings(self) -> Settings:
        return {"v": 1}

    def score(self, batch: Batch) -> Floats:
        return np.array([sum(map(str.isupper, text)) / len(text) for text in batch.outputs])
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from itertools import chain
from typing import Final, Literal, Self, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.data.validation import BLANK
from tiebreak.errors import ExtraMissingError, InputError, Problem, UsageError
from tiebreak.scoring.settings import ReferenceSource

Floats = NDArray[np.float64]
Settings = Mapping[str, str | int | float]
Need = Literal["references", "input"]
T = TypeVar("T")

REFERENCES: Final[frozenset[Need]] = frozenset(("references",))
INPUT: Final[frozenset[Need]] = frozenset(("input",))
NOTHING: Final[frozenset[Need]] = frozenset()


@dataclass(frozen=True, slots=True)
class Batch:
    """Outputs, and what the metric needs of each: rows of one length, or empty where it needs none.

    No text is blank, and no list of references is empty: such outputs have no score, and no metric sees them.
    """

    outputs: Sequence[str]
    references: Sequence[Sequence[str]] = ()
    inputs: Sequence[str] = ()

    @property
    def texts(self) -> list[str]:
        """Outputs and references that differ: systems share references, and what is made of a text is made once."""
        return list(dict.fromkeys((*self.outputs, *chain.from_iterable(self.references))))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every output with each of its references, those of one output side by side."""
        rows = zip(self.outputs, self.references, strict=True)
        return [(output, reference) for output, references in rows for reference in references]

    def scored(self, made: Mapping[str, T], score: Callable[[T, Sequence[T]], float]) -> Floats:
        """Scores (n,) by what was `made` of each text that says anything: `score` is of what was made of an output and
        of its references. NaN where there is nothing of the output, or of any reference.
        """
        rows = zip(self.outputs, self.references, strict=True)
        parts = [(made.get(output), [made[text] for text in own if text in made]) for output, own in rows]
        return np.array([np.nan if output is None or not own else score(output, own) for output, own in parts])

    def best(self, scores: Floats) -> Floats:
        """Of the scores of all `pairs` the highest of each output (n,)."""
        found: Floats = np.maximum.reduceat(scores, np.cumsum([0, *map(len, self.references)])[:-1])
        return found


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A metric with its settings; two of the same class and fields are the same metric.

    `name`: as in `--metric`; `words`: what it measures, for `score --list`. `higher_is_better`: None where neither is
    (length, say). `range`: the lowest and the highest score. `needs`: beside the output. `packages` it imports, and
    the `extra` of tiebreak that installs them. `one_process`: it uses the cores by itself, or is too large to be loaded
    several times.
    """

    name: str
    words: str
    higher_is_better: bool | None = True
    range: tuple[float, float] = (0.0, 1.0)
    needs: frozenset[Need] = NOTHING
    packages: tuple[str, ...] = ()
    extra: str = ""
    one_process: bool = False

    @abstractmethod
    def settings(self) -> Settings:
        """All that the scores depend on: with the name, they make the same scores again. Short words, for a signature;
        among them a version of the library, or of our own code.
        """

    @abstractmethod
    def score(self, batch: Batch) -> Floats:
        """Scores (n,) of a batch, each of its own text only; NaN where there is none to give."""

    def missing_package(self) -> str:
        """The first of its packages that is not installed; "" where all are."""
        return next((package for package in self.packages if find_spec(package) is None), "")

    def check(self) -> None:
        """Find out, before any work, whether it can run here.

        Raises:
            TiebreakError: a package or a file is missing; the text says how to get it.
        """
        if missing := self.missing_package():
            raise ExtraMissingError(f"the metric {self.name}", missing, self.extra)

    def with_model(self, model: str) -> Self:
        """The same with another model, by name or folder.

        Raises:
            UsageError: it has none.
        """
        raise UsageError(f"the metric {self.name} takes no model, but :{model} stands behind it")

    def fitted(self, references: Iterable[Sequence[str]]) -> Self:  # noqa: ARG002
        """The metric for a study whose items have these references; itself, where it needs not know them.

        Raises:
            TiebreakError: they are too few.
        """
        return self


def signature_of(metric: Metric, more: Mapping[str, str]) -> str:
    """One line that says what makes the scores: the metric's name, its settings, and `more` where it is not empty."""
    told = {**metric.settings(), **{key: value for key, value in more.items() if value}}
    return "|".join((metric.name, *(f"{key}:{value}" for key, value in told.items())))


EMPTY_OUTPUT: Final = "empty output"
NO_REFERENCE: Final = "no reference"
NO_INPUT: Final = "no input"
NO_VALUE: Final = "no value"
"""Why an output has no score: the last is what the metric says of it."""

_ROWS_AT_ONCE: Final = 20_000

Texts = Callable[[pl.Series], pl.Series]
"""What is done to texts before a metric sees them."""


@dataclass(frozen=True)
class Instances:
    """All outputs of a study, those of one item side by side.

    `rows`: item, system, sample, text, and the `place` of the item in the others. `references`: lists of texts;
    `inputs`: texts; null where there is none.
    """

    rows: pl.DataFrame
    references: pl.Series
    inputs: pl.Series

    @classmethod
    def of(cls, study: Study, source: ReferenceSource, prepared: Texts | None = None) -> Instances:
        """Those of a study, with references from this source; `prepared`: what is done to references.

        Raises:
            InputError: the study has no outputs.
        """
        if study.outputs is None:
            message = "there is nothing to score: the study has no outputs (table outputs: item, system, text)"
            raise InputError([Problem(str(study.path or study.name), message)])
        rows = study.outputs.select("item", "system", "sample", "text")
        items = study.items
        if items is None:
            items = rows.select("item").unique(maintain_order=True)
        places = items.select("item").with_row_index("place")
        rows = rows.join(places, on="item", how="left", maintain_order="left").sort(
            "place", maintain_order=True, nulls_last=True
        )
        return cls(rows, _references(items, source, prepared), _text(items, "input"))

    def lacking(self, needs: frozenset[Need]) -> pl.Series:
        """Why each output (n,) cannot be scored by a metric that needs this; null where it can."""
        sources: dict[Need, tuple[pl.Series, str]] = {
            "references": (self.references, NO_REFERENCE),
            "input": (self.inputs, NO_INPUT),
        }
        why = [pl.when(pl.col("text").str.contains(BLANK)).then(pl.lit(EMPTY_OUTPUT))]
        for need, (series, reason) in sources.items():
            if need in needs:
                absent = series.gather(self.rows["place"]).is_null()
                why.append(pl.when(pl.lit(absent)).then(pl.lit(reason)))
        return self.rows.select(pl.coalesce(why).alias("lacking")).to_series()

    def keys(self, needs: frozenset[Need], lacking: pl.Series) -> pl.Series:
        """A key (n,) of all that the metric is given; null where an output cannot be scored."""
        able = lacking.is_null().arg_true()
        digests = chain.from_iterable(_keys(self.batch(part, needs)) for part in _slices(able))
        keys = pl.Series("key", list(digests), dtype=pl.Binary)
        return pl.Series("key", [None] * self.rows.height, dtype=pl.Binary).scatter(able, keys)

    def batch(self, rows: pl.Series, needs: frozenset[Need]) -> Batch:
        """What a metric is given of some rows."""
        chosen = self.rows[rows]
        places = chosen["place"]
        return Batch(
            chosen["text"].to_list(),
            self.references.gather(places).to_list() if "references" in needs else (),
            self.inputs.gather(places).to_list() if "input" in needs else (),
        )

    def reference_lists(self) -> Iterator[Sequence[str]]:
        """The references of each item that has some, one by one: as Python objects all would take far more room."""
        for part in _slices(self.references):
            yield from part.drop_nulls().to_list()


def _keys(batch: Batch) -> Iterator[bytes]:
    """128 bits over the texts, each after its length: no two rows that differ look alike."""
    references: Sequence[Sequence[str]] = batch.references or [()] * len(batch.outputs)
    inputs: Sequence[Sequence[str]] = [(text,) for text in batch.inputs] or [()] * len(batch.outputs)
    for output, own, given in zip(batch.outputs, references, inputs, strict=True):
        parts = "".join(f"{len(text)}:{text}" for text in (output, *own))
        yield blake2b(f"{len(own)};{parts};{''.join(given)}".encode(), digest_size=16).digest()


def _slices(series: pl.Series) -> Iterator[pl.Series]:
    for start in range(0, len(series), _ROWS_AT_ONCE):
        yield series.slice(start, _ROWS_AT_ONCE)


def _text(items: pl.DataFrame, column: str) -> pl.Series:
    """A column of texts; null where blank."""
    if column not in items.columns:
        return pl.Series(column, [None] * items.height, dtype=pl.String)
    return items.select(pl.when(~pl.col(column).str.contains(BLANK)).then(pl.col(column))).to_series()


def _references(items: pl.DataFrame, source: ReferenceSource, prepared: Texts | None) -> pl.Series:
    """Lists of texts that are not blank; null where there is none."""
    names = ("reference", "references") if source == "reference" else (source,)
    lists = [as_lists(items[name]) for name in names if name in items.columns]
    if not lists:
        return pl.Series("references", [None] * items.height, dtype=pl.List(pl.String))
    rows = pl.concat([pl.DataFrame({"texts": column}).with_row_index("row") for column in lists])
    texts = rows.explode("texts").filter(pl.col("texts").is_not_null() & ~pl.col("texts").str.contains(BLANK))
    if prepared is not None and texts.height:
        texts = texts.with_columns(prepared(texts["texts"]).alias("texts"))
    gathered = texts.group_by("row", maintain_order=True).agg(pl.col("texts"))
    every = pl.DataFrame({"row": pl.arange(items.height, dtype=pl.UInt32, eager=True)})
    return every.join(gathered, on="row", how="left", maintain_order="left")["texts"].rename("references")


def as_lists(column: pl.Series) -> pl.Series:
    """Text, lists of texts or texts by name, as lists."""
    if isinstance(column.dtype, (pl.List, pl.Array)):
        return column.cast(pl.List(pl.String))
    texts = column.struct.unnest().get_columns() if isinstance(column.dtype, pl.Struct) else [column.cast(pl.String)]
    return pl.select(pl.concat_list(texts).alias(column.name)).to_series()
