"""Tables that nobody can change: whoever asks for one gets a frame of their own, which shares the data.

Frames have methods that change them in place. A copy is cheap, since polars copies a column only when it is written to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import overload

import polars as pl

from tiebreak.data.schema import TableName


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
