"""Scores as they are found, in files that survive whatever ends the run: a chunk is there completely or not at all.

A metric's chunks lie in a folder named by its signature, and a chunk is named by its content: nobody can take one for
another, what was damaged is left out, and two programs that write the same do no harm. A row is the key of what was
scored (`Instances.keys`) and the score, which is null where the metric had none.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.errors import TiebreakError
from tiebreak.files import write_bytes, writing

Floats = NDArray[np.float64]

FOLDER: Final = ".scoring"
"""In the study folder; it may be deleted at any time, which costs the work that is in it."""

_SCHEMA: Final = {"key": pl.Binary, "value": pl.Float64}


class ChunkStore:
    """The chunks of one metric in a study's folder."""

    def __init__(self, study: Path, signature: str) -> None:
        name = re.sub(r"[^\w.+-]", "_", signature.partition("|")[0])
        self.folder = study / FOLDER / "metrics" / f"{name}-{sha256(signature.encode()).hexdigest()[:16]}"

    def known(self) -> pl.DataFrame:
        """All keys with a score, or with the knowledge that there is none (null)."""
        while True:
            try:
                frames = [frame for path in self._files() if (frame := _read(path)) is not None]
            except FileNotFoundError:
                continue  # another run has made one chunk of many: they are listed again
            return pl.concat(frames).unique("key") if frames else pl.DataFrame(schema=_SCHEMA)

    def add(self, keys: pl.Series, values: Floats) -> None:
        """A chunk; NaN: no score.

        Raises:
            TiebreakError: it cannot be written.
        """
        self._write(pl.DataFrame({"key": keys, "value": pl.Series(values).fill_nan(None)}, schema=_SCHEMA))

    def tidy(self) -> None:
        """Make one chunk of many, which are slower to read: first it is written, then they go."""
        files = list(self._files())
        if len(files) > 1:
            kept = self._write(self.known())
            for path in files:
                if path != kept:
                    path.unlink(missing_ok=True)

    def _write(self, frame: pl.DataFrame) -> Path:
        content = io.BytesIO()
        frame.write_parquet(content)
        path = self.folder / f"{sha256(content.getvalue()).hexdigest()[:32]}.parquet"
        with writing(path):
            self.folder.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content.getvalue())
        return path

    def _files(self) -> Iterable[Path]:
        return sorted(self.folder.glob("*.parquet"))


class MemoryStore:
    """The same for a study that is in no folder: nothing survives."""

    def __init__(self) -> None:
        self._frames: list[pl.DataFrame] = []

    def known(self) -> pl.DataFrame:
        """All keys with a score, or with the knowledge that there is none (null)."""
        return pl.concat(self._frames) if self._frames else pl.DataFrame(schema=_SCHEMA)

    def add(self, keys: pl.Series, values: Floats) -> None:
        """A chunk; NaN: no score."""
        self._frames.append(pl.DataFrame({"key": keys, "value": pl.Series(values).fill_nan(None)}, schema=_SCHEMA))

    def tidy(self) -> None:
        """There is nothing to tidy."""


Store = ChunkStore | MemoryStore


def _read(path: Path) -> pl.DataFrame | None:
    """A chunk; None, and no file, where its content is not what its name says.

    Raises:
        FileNotFoundError: it is gone.
        TiebreakError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise TiebreakError(f"cannot read {path}: {error.strerror or error}") from error
    if sha256(content).hexdigest()[:32] != path.stem:
        path.unlink(missing_ok=True)
        return None
    return pl.read_parquet(io.BytesIO(content))
