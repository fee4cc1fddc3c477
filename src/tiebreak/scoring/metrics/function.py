"""A metric from a Python function."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import Batch, Floats, Metric, Need, Settings
from tiebreak.scoring.metrics.what_it_does import what_it_does

_NEEDS: dict[str, Need] = {"references": "references", "input": "input"}


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """What a function returns for the text of an output; NaN or None where it has no score.

    It gets the references (a tuple of texts) or the input where it has a parameter called `references` or `input`.
    `code`: what it does, in a word (`what_it_does`), before it has run.
    """

    function: Callable[..., float | None]
    code: str
    higher_is_better: bool | None = True
    range: tuple[float, float] = (-math.inf, math.inf)

    def settings(self) -> Settings:
        of = self.function
        where = f"{getattr(of, '__module__', '?')}.{getattr(of, '__qualname__', type(of).__name__)}"
        return {"function": where, "code": self.code}

    def score(self, batch: Batch) -> Floats:
        has = (("references", batch.references), ("input", batch.inputs))
        given = [zip(repeat(name), values) for name, values in has if name in self.needs]
        rows = zip(batch.outputs, *given, strict=True) if given else zip(batch.outputs, strict=True)
        found = [self.function(output, **dict(named)) for output, *named in rows]
        return np.array([math.nan if value is None else value for value in found], dtype=np.float64)


def metric_of(function: Callable[..., Any], name: str = "", *, higher_is_better: bool | None = True) -> FunctionMetric:
    """A metric of a function of one output; what else it needs, its parameters say. `name`: else the function's own.

    Raises:
        UsageError: it has no name.
    """
    named = name or getattr(function, "__name__", "")
    if not named or named == "<lambda>":
        raise UsageError("a metric needs a name: give the function one, or metric_of(function, 'my-metric')")
    needs = frozenset(_NEEDS[p] for p in inspect.signature(function).parameters if p in _NEEDS)
    words = (inspect.getdoc(function) or "a function of Python").partition("\n")[0].removesuffix(".")
    return FunctionMetric(
        name=named,
        words=words,
        higher_is_better=higher_is_better,
        needs=needs,
        function=function,
        code=what_it_does(function),
    )
