"""Every odd workbook is read, or refused in words that name the file; no traceback, no waiting, no memory."""

from __future__ import annotations

import json
import random
import re
import resource
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from tests.tabular.odd_workbooks import HOSTILE, ROWS, SMALL, Odd, archive, parts

from tiebreak.errors import InputError
from tiebreak.sheets.filled import read_filled
from tiebreak.tabular.source import read_sheet


def imported(content: bytes, path: Path) -> tuple[tuple[str, ...], ...]:
    """What `import` reads."""
    path.write_bytes(content)
    found = read_sheet(str(path))
    return (found.columns, *found.rows)


def collected(content: bytes) -> tuple[tuple[str, ...], ...]:
    """What `collect` reads."""
    return (
        ROWS[0],
        *((row.task, row.cell("answer"), row.cell("seconds")) for row in read_filled(content, "back.xlsx", ["answer"])),
    )


@pytest.mark.parametrize("odd", SMALL.values(), ids=SMALL)
def test_odd_workbooks_are_read_or_refused_in_words(odd: Odd, tmp_path: Path) -> None:
    path = tmp_path / "back.xlsx"
    if odd.error is None:
        assert imported(odd.content, path) == collected(odd.content) == ROWS
        return
    with pytest.raises(InputError) as refused:
        imported(odd.content, path)
    assert re.search(odd.error, str(refused.value)), str(refused.value)
    assert str(path) in str(refused.value)
    with pytest.raises(InputError, match=r"^back\.xlsx"):
        collected(odd.content)


MEASURED = """
import json, pathlib, re, resource, sys, time
from tiebreak.errors import InputError
from tiebreak.sheets.filled import read_filled
from tiebreak.tabular.source import read_sheet
def megabytes():
    status = pathlib.Path("/proc/self/status")
    if status.exists():  # ru_maxrss would count what the tests had in memory when they started this process
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
for path in sys.argv[1:]:
    for read in (lambda: read_sheet(path), lambda: read_filled(pathlib.Path(path).read_bytes(), path, ["answer"])):
        begun = time.process_time()
        try:
            read()
            said = "read"
        except InputError as error:
            said = str(error)
        print(json.dumps([said, time.process_time() - begun, megabytes()]))
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, float, float]]]:
    """What `import` and `collect` say of each hostile workbook, the seconds on a processor, and the megabytes so far:
    read in a process of its own, whose memory is nobody else's.
    """
    folder = tmp_path_factory.mktemp("hostile")
    for place, made in enumerate(HOSTILE.values()):
        (folder / f"{place}.xlsx").write_bytes(made.content())
    limit = (90, 90)  # seconds on a processor: a machine at work on something else does not count
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *(str(folder / f"{place}.xlsx") for place in range(len(HOSTILE)))],
        capture_output=True, text=True, check=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit),
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: lines[2 * place : 2 * place + 2] for place, name in enumerate(HOSTILE)}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbooks_cost_little_time_and_memory(
    name: str, measured: dict[str, list[tuple[str, float, float]]]
) -> None:
    error = HOSTILE[name].error
    by_import, by_collect = measured[name]
    assert re.search(error or "^read$", by_import[0]), by_import
    # What only `import` looks at, as merged cells, does not matter to `collect`.
    assert re.search(f"{error or '^read$'}|^read$", by_collect[0]), by_collect
    for _, seconds, megabytes in measured[name]:
        assert seconds < 3
        assert megabytes < 400


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, removed, added, or doubled somewhere."""
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(found) + 1)
        length = rng.choice((1, 1, 2, 4, 50))
        kind = rng.randrange(4)
        if kind == 0:
            found[at : at + length] = rng.randbytes(length)
        elif kind == 1:
            del found[at : at + length]
        elif kind == 2:
            found[at:at] = rng.randbytes(length)
        else:
            found[at:at] = found[at : at + length]
    return bytes(found)


def seen(content: bytes, path: Path) -> None:
    """Both readings of a file; nothing but `InputError` may come of them."""
    path.write_bytes(content)
    with suppress(InputError):
        read_sheet(str(path))
    with suppress(InputError):
        read_filled(content, str(path), ["answer"])


def test_any_damage_to_the_archive_is_an_error_in_words(tmp_path: Path) -> None:
    rng = random.Random(1)
    good = [archive(parts()), archive(parts(), zipfile.ZIP_STORED)]
    for _ in range(300):
        content = damaged(rng.choice(good), rng)
        if content.startswith(b"PK\x03\x04"):  # else it is read as text
            seen(content, tmp_path / "back.xlsx")


def test_any_damage_to_a_part_is_an_error_in_words(tmp_path: Path) -> None:
    rng = random.Random(2)
    for _ in range(300):
        members = parts()
        name = rng.choice(list(members))
        seen(archive(members | {name: damaged(members[name], rng)}, zipfile.ZIP_STORED), tmp_path / "back.xlsx")
