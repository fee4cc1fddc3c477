"""How often plans of `tiebreak import csv` are right: prints Markdown; `--write` saves it as docs/import_confidence.md.

python benchmarks/import_confidence.py [--files 4000] [--seed 1] [--write] [--show]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import show, table  # noqa: E402
from benchmarks.raw_files.drawing import draw  # noqa: E402
from benchmarks.raw_files.reading import Read, read, save  # noqa: E402

from tiebreak.importers.importer import SURE_ENOUGH  # noqa: E402

BANDS: Final = ((0.0, 0.5), (0.5, 0.75), (0.75, SURE_ENOUGH), (SURE_ENOUGH, 0.97), (0.97, 1.01))

INTRODUCTION = """# How sure an import is

Before it writes anything, [`tiebreak import csv`](import.md) says how sure its plan is. These are {files:,} made-up
files with a known meaning, read without a word of the user: outputs, votes, judges' votes and ratings under names that
people use, in several languages or in words that no list holds, with columns that mean nothing, and tables about
something else, some of which look like ours. A study is right if it has every text, choice and number of the file, with
the right system and person, and nothing more. Made by `python benchmarks/import_confidence.py --write`, seed {seed}.

"""


def reads(files: int, seed: int) -> list[Read]:
    """How each of the files is read."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for number in range(seed * 1_000_000, seed * 1_000_000 + files):
            file = draw(number)
            found.append(read(file, save(file, Path(folder), number)))
        return found


def bands(found: Sequence[Read]) -> str:
    """Share of right studies by confidence, among plans that lead to a study."""
    rows = []
    for low, high in BANDS:
        inside = [r for r in found if r.end in ("right", "wrong") and low <= r.confidence < high]
        right = sum(r.end == "right" for r in inside)
        share = f"{right / len(inside):.1%}" if inside else "-"
        mean = f"{sum(r.confidence for r in inside) / len(inside):.1%}" if inside else "-"
        rows.append([f"{low:.0%} to {min(high, 1):.0%}", f"{len(inside):,}", mean, share])
    return table(["confidence", "plans", "mean confidence", "right"], rows)


def shapes(found: Sequence[Read]) -> str:
    """How reading ended, by shape."""
    rows = []
    for shape in sorted({r.file.shape for r in found}):
        ends = Counter(_end(r) for r in found if r.file.shape == shape)
        total = ends.total()
        columns = ("accepted, right", "accepted, wrong", "asked", "refused", "error")
        rows.append([shape, f"{total:,}", *(f"{ends[end] / total:.1%}" for end in columns)])
    header = ["file", "files", "right", "wrong", "asked about", "refused", "error names a cell"]
    return table(header, rows)


def _end(read_: Read) -> str:
    if read_.end in ("refused", "error"):
        return read_.end
    return f"accepted, {read_.end}" if read_.confidence >= SURE_ENOUGH else "asked"


def page(files: int, seed: int) -> str:
    """The whole page."""
    found = reads(files, seed)
    accepted = [r for r in found if r.end in ("right", "wrong") and r.confidence >= SURE_ENOUGH]
    wrong = sum(r.end == "wrong" for r in accepted)
    were = "was" if wrong == 1 else "were"
    return "".join(
        [
            INTRODUCTION.format(files=files, seed=seed),
            f"`--yes` takes plans from {SURE_ENOUGH:.0%}: of {len(accepted):,} such plans {wrong:,} {were} wrong ",
            f"({wrong / max(len(accepted), 1):.1%}). Others\nare asked about at a terminal, with No as the answer.\n\n",
            bands(found),
            "\n\nWhat became of the files; right and wrong are those that `--yes` would have written:\n\n",
            shapes(found),
            "\n",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="save the page")
    parser.add_argument("--show", action="store_true", help="print every wrong plan that --yes would take")
    options = parser.parse_args()
    if options.show:
        for r in reads(options.files, options.seed):
            if r.end == "wrong" and r.confidence >= SURE_ENOUGH:
                print(f"{r.confidence:.2f} {r.file.shape}: {list(r.file.table)}\n    {r.said}")
        return
    show(page(options.files, options.seed), "import_confidence.md", options.write)


if __name__ == "__main__":
    main()
