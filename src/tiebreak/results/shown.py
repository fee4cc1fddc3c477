"""What results look like in Python: one line, a table in a notebook, and frames."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    import pandas as pd

_ROWS: Final = 100
"""Rows of a table in a notebook."""
_FACTS: Final = 6
"""What one line says."""


class SummarisedResult:
    """A result that its command prints."""

    __slots__ = ()

    def summary(self, *, width: int = 100) -> str:
        """What the command prints of it, at most `width` characters wide, without colours."""
        # By name, as `tiebreak` loads its public names: results know nothing of those who print them.
        text: str = import_module("tiebreak.cli.summary").summary(self, width=width)
        return text


class ShownResult(SummarisedResult, ABC):
    """A result with a table."""

    @property
    @abstractmethod
    def table(self) -> pl.DataFrame:
        """The table that is shown of it: one row for each pair or system."""

    @property
    @abstractmethod
    def facts(self) -> Sequence[str]:
        """What it says, each in a few words."""

    def __repr__(self) -> str:
        """One line, such as `CompareResult(gpt > llama, gpt ? mistral)`."""
        facts = list(self.facts)
        more = [f"and {len(facts) - _FACTS:,} more"] if len(facts) > _FACTS else []
        return f"{type(self).__name__}({', '.join([*facts[:_FACTS], *more])})"

    def _repr_html_(self) -> str:
        """The table, as notebooks show it."""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.table.columns)
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(_cell(value))}</td>' for value in row)}</tr>"
            for row in self.table.head(_ROWS).iter_rows()
        )
        left = self.table.height - _ROWS
        more = f"<p>and {left:,} more rows</p>" if left > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"

    def to_pandas(self) -> pd.DataFrame:
        """The table as a frame of pandas, which has to be installed; pyarrow need not be."""
        import pandas as pd

        return pd.DataFrame(self.table.to_dict(as_series=False))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
