"""A metric from a Python function; and for its signature a word that is the same as long as the function does the same.

The word is of its source, and the values that it finds outside its arguments: defaults, those of functions around it,
constants of its module, what was bound to it by `partial`, the fields of a callable object. Functions and classes of
its own module are looked into as well. What else it uses (a library, a model, a file) is told by its name or type only.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import repeat
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final, get_args

import numpy as np

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import Batch, Floats, Metric, Need, Settings

_PLAIN: Final = (str, bytes, int, float, complex, bool, type(None))
_DIGEST: Final = 12

Above = frozenset[int]
"""What stands further up, by its identity: a function may know itself."""


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
        function = self.function
        where = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__name__)}"
        return {"function": where, "code": self.code}

    def score(self, batch: Batch) -> Floats:
        has = (("references", batch.references), ("input", batch.inputs))
        given = [zip(repeat(name), values) for name, values in has if name in self.needs]
        rows = zip(batch.outputs, *given, strict=True) if given else zip(batch.outputs, strict=True)
        values = [self.function(output, **dict(named)) for output, *named in rows]
        return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def metric_of(function: Callable[..., Any], name: str = "", *, higher_is_better: bool | None = True) -> FunctionMetric:
    """A metric of a function of one output; what else it needs, its parameters say. `name`: else the function's own.

    Raises:
        UsageError: it has no name.
    """
    named = name or getattr(function, "__name__", "")
    if not named or named == "<lambda>":
        raise UsageError("a metric needs a name: give the function one, or metric_of(function, 'my-metric')")
    parameters = inspect.signature(function).parameters
    needs: frozenset[Need] = frozenset(need for need in get_args(Need) if need in parameters)
    words = (inspect.getdoc(function) or "a function of Python").partition("\n")[0].removesuffix(".")
    return FunctionMetric(
        name=named,
        words=words,
        higher_is_better=higher_is_better,
        needs=needs,
        function=function,
        code=what_it_does(function),
    )


def what_it_does(function: object) -> str:
    """A word for a function, a partial one, a method, or an object that is called like one."""
    inner = function.func if isinstance(function, partial) else function
    teller = _Teller(getattr(inner, "__module__", "") or "")
    return sha256(teller.told(function, frozenset()).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


@dataclass(frozen=True, slots=True)
class _Teller:
    """Tells values at length; `home`: the module whose functions and classes are looked into."""

    home: str

    def told(self, value: Any, above: Above) -> str:
        """Whatever it is."""
        if isinstance(value, _PLAIN):
            return repr(value)
        if id(value) in above:
            return "..."
        above |= {id(value)}
        if isinstance(value, (list, tuple)):
            return self._row(value, above)
        if isinstance(value, (set, frozenset)):
            return str(sorted(self.told(one, above) for one in value))
        if isinstance(value, dict):
            return str(sorted((self.told(key, above), self.told(one, above)) for key, one in value.items()))
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{value.shape}{sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
        if isinstance(value, re.Pattern):
            return f"{value.pattern!r}{value.flags}"
        if isinstance(value, partial):
            return self._row((value.func, value.args, value.keywords), above)
        if isinstance(value, MethodType):
            return self._row((value.__func__, value.__self__), above)
        return self._named(value, above)

    def _named(self, value: Any, above: Above) -> str:
        """Modules, functions, classes and objects; only those of the module itself with what is in them."""
        if isinstance(value, ModuleType):
            return value.__name__
        kind = value if isinstance(value, (FunctionType, type)) else type(value)
        if kind.__module__ != self.home:
            return f"{kind.__module__}.{kind.__qualname__}"
        if isinstance(value, FunctionType):
            names = inspect.getclosurevars(value)
            around = {**names.globals, **names.nonlocals}
            return _source(value) + self._row((value.__defaults__, value.__kwdefaults__, around), above)
        fields = "" if isinstance(value, type) else self.told(getattr(value, "__dict__", {}), above)
        return f"{_source(kind)}{fields}"

    def _row(self, values: Any, above: Above) -> str:
        return str([self.told(one, above) for one in values])


def _source(code: FunctionType | type) -> str:
    """The text of a function or class; without one its byte code, or its name."""
    try:
        return inspect.getsource(code)
    except (OSError, TypeError):
        return _bytes(code.__code__) if isinstance(code, FunctionType) else f"{code.__module__}.{code.__qualname__}"


def _bytes(code: CodeType) -> str:
    """Without what is another one every time: the place of an inner function in memory, the order of a set."""
    constants = [_bytes(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    return repr((code.co_code, constants, code.co_names))


def _constant(value: object) -> str:
    return str(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)
