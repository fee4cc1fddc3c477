"""Tables about something else are refused or asked about, and what looks like them is not."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.importers.raw_files.foreign import KINDS, table_of_something_else
from tests.importers.raw_files.reading import read, save
from tests.importers.raw_files.shapes import RawFile

from tiebreak.importers.importer import SURE_ENOUGH


def test_tables_about_something_else_are_not_written(tmp_path: Path) -> None:
    seen = set()
    for seed in range(400):
        name, table = table_of_something_else(Random(seed))
        found = read(RawFile(name, table, None), save(RawFile(name, table, None), tmp_path, seed))
        seen.add(name)
        assert found.end in ("refused", "error") or found.confidence < SURE_ENOUGH, (name, found.said)
    assert seen == set(KINDS)
