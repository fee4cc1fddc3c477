"""`tiebreak pair`: outputs of separate files as pairs; what was dropped and why, and whether lengths are balanced."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from tiebreak.cli.setting_options import JsonOption, argument, option, with_settings
from tiebreak.cli.terminal import Name, Terminal, console_for_results, write_json
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.kernels.length_matching import LengthTolerance
from tiebreak.numbers import command, counted, some_parts
from tiebreak.pairing.pairs import PairCounts, Pairing, PairingSettings, SampledPairs, SourceCounts, pair_outputs
from tiebreak.pairing.sources import parse_sources
from tiebreak.records import document as record_document
from tiebreak.settings.checks import read_names


class LengthUnit(StrEnum):
    """What the length of a text is counted in."""

    words = "words"
    characters = "characters"


Files = Annotated[
    list[str], argument("Outputs of one system each: .csv, .tsv, .xlsx, .jsonl, .parquet or .txt.", "[NAME=]FILE...")
]
Out = Annotated[Path, option("The study folder to create.", "STUDY", "--out", "-o")]
Match = Annotated[
    str | None, option("Attributes that both texts of a pair must share, such as tense,sentiment.", "COLUMN,...")
]
Tolerance = Annotated[
    str,
    typer.Option(
        metavar="20%|3", help="How far apart the lengths of a pair may be: a share of the longer, or a number."
    ),
]
Unit = Annotated[LengthUnit, typer.Option(help="What lengths are counted in; characters for languages without spaces.")]
TextColumn = Annotated[str | None, option("The column with the outputs, where its name does not say it.", "COLUMN")]
DryRun = Annotated[bool, option("Show the report and write nothing.", "", "--dry-run")]


@with_settings(SampledPairs)
def pair_command(
    files: Files,
    out: Out,
    match: Match = None,
    length_tolerance: Tolerance = "20%",
    length_in: Unit = LengthUnit.words,
    text: TextColumn = None,
    *,
    drawn: SampledPairs,
    dry_run: DryRun = False,
    as_json: JsonOption = False,
) -> None:
    """Pair the outputs of systems that have no inputs, so that people can compare them.

    Two texts are paired if they share the attributes and are of similar length; texts that repeat another are dropped.
    As many pairs as possible, then the smallest differences in length. Every two systems get items of their own.

    Example: tiebreak pair cga.csv v1.csv -o my-study --match tense,sentiment,person --sample 500
    """
    if not dry_run:
        _refuse_used_folder(out)
    settings = PairingSettings(
        match=tuple(read_names(match or "")),
        tolerance=parse_tolerance(length_tolerance),
        unit=length_in.value,
        sample=drawn.sample,
        seed=drawn.seed,
    )
    pairing = pair_outputs(parse_sources(files), settings, text, name=out.resolve().name)
    if not dry_run:
        write_study(pairing.study, out)
    if as_json:
        write_json(document(pairing, settings, str(out), written=not dry_run))
    else:
        show_pairing(pairing, settings, str(out), console_for_results(), written=not dry_run)


def parse_tolerance(text: str) -> LengthTolerance:
    """`20%` is a share of the longer text, `3` a number of words or characters."""
    plain = text.strip()
    digits = plain.removesuffix("%").strip()
    try:
        number = float(digits)
    except ValueError:
        number = -1.0
    if plain.endswith("%") and 0 <= number < 100:
        return LengthTolerance(number / 100, relative=True)
    if number >= 0 and digits.isdecimal() and plain == digits:
        return LengthTolerance(number, relative=False)
    raise UsageError(
        f"--length-tolerance {text!r}: write a share of the longer text below 100%, such as 20%, or a whole number of "
        "words or characters, such as 3"
    )


def _refuse_used_folder(folder: Path) -> None:
    """Before any file is read."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; --out names the study folder to create")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name a new folder for the study")


# One side longer this much more often, as a share of the pairs, is worth a note; but not in a handful of pairs.
_UNBALANCED: Final = 0.2
_FEW: Final = 5


def show_pairing(pairing: Pairing, settings: PairingSettings, folder: str, console: Terminal, *, written: bool) -> None:
    """A table for every two systems, what to know about their pairs, and what was written."""
    sources = {counts.source.system: counts for counts in pairing.sources}
    for pair in pairing.pairs:
        _show_pair(pair, sources, settings, console)
    console.say_each(Text.assemble(("note ", "yellow"), text) for text in remarks(pairing, settings))
    rows = f"{counted(_items(pairing), 'item')}, {counted(2 * _items(pairing), 'output')}"
    if written:
        console.say(Text.assemble(("Wrote", "bold green"), f" {folder}: {rows}"))
        console.command("check", folder, before="Next: ")
    else:
        console.say(f"Would write {folder}: {rows}. Nothing was written (--dry-run).")


def _show_pair(
    pair: PairCounts, sources: dict[str, SourceCounts], settings: PairingSettings, console: Terminal
) -> None:
    left, right = pair.sides
    console.table(
        [Name(""), left.system, right.system],
        [[Text(cell, style=style) for cell in cells] for *cells, style in _rows(pair, sources, settings)],
    )
    same = left.kept - sum(pair.longer)
    console.say(
        f"Of {counted(left.kept, 'pair')}, {left.system} is longer in {pair.longer[0]:,}, "
        f"{right.system} in {pair.longer[1]:,}, neither in {same:,}."
    )
    console.say()


def _rows(
    pair: PairCounts, sources: dict[str, SourceCounts], settings: PairingSettings
) -> list[tuple[str, str, str, str]]:
    """(label, left, right, style): what was read, each reason to drop that occurred, what is left."""
    left, right = pair.sides
    of_left, of_right = sources[left.system], sources[right.system]
    dropped = [
        ("  blank", of_left.blank, of_right.blank),
        (f"  without {' or '.join(settings.match)}", of_left.no_attribute, of_right.no_attribute),
        ("  repeats of an earlier text", of_left.repeated, of_right.repeated),
        ("  no partner with these attributes", left.unmatched_attributes, right.unmatched_attributes),
        ("  no partner of similar length", left.too_far, right.too_far),
        ("  partners went to others", left.left_over, right.left_over),
    ]
    rows = [("texts read", f"{of_left.read:,}", f"{of_right.read:,}", "")]
    rows += [(label, _minus(one), _minus(other), "dim") for label, one, other in dropped if one or other]
    rows.append(("paired", f"{left.paired:,}", f"{right.paired:,}", "bold"))
    if left.kept < left.paired:
        rows.append(("  sampled", f"{left.kept:,}", f"{right.kept:,}", "bold"))
    before, after = f"mean length in {settings.unit}, all texts", "  of the pairs"
    rows.append((before, f"{left.mean_length_before:.1f}", f"{right.mean_length_before:.1f}", ""))
    rows.append((after, f"{left.mean_length:.1f}", f"{right.mean_length:.1f}", "bold"))
    return rows


def remarks(pairing: Pairing, settings: PairingSettings) -> list[str]:
    """What a user may not expect: too few pairs, texts that are the same, values that only one file has."""
    found = []
    for pair in pairing.pairs:
        left, right = pair.sides
        names = f"{left.system} and {right.system}"
        if settings.sample is not None and left.paired < settings.sample:
            found.append(f"{names}: only {counted(left.paired, 'pair')}, fewer than the {settings.sample:,} asked for")
        gap = abs(pair.longer[0] - pair.longer[1])
        if gap > max(_UNBALANCED * left.kept, _FEW):
            longer = left.system if pair.longer[0] > pair.longer[1] else right.system
            found.append(
                f"{names}: {longer} has the longer text in {max(pair.longer):,} of {counted(left.kept, 'pair')}, the "
                f"other in {min(pair.longer):,}; a smaller --length-tolerance gives fewer pairs, better balanced"
            )
        if pair.identical:
            same = counted(pair.identical, "pair")
            found.append(f"{names}: {same} with the same text on both sides; they count as ties and need no label")
    lone = [f"{name} {value} ({', '.join(systems)})" for name, value, systems in pairing.lone_values]
    if lone:
        found.append(f"values that not every file has: {some_parts(lone)}")
    return found


def document(pairing: Pairing, settings: PairingSettings, folder: str, *, written: bool) -> dict[str, object]:
    """The JSON document of `tiebreak pair --json`."""
    tolerance = settings.tolerance
    return {
        "study": folder,
        "written": written,
        "settings": record_document(
            settings, "tolerance", "unit",
            length_tolerance=tolerance.amount, relative=tolerance.relative, length_in=settings.unit,
        ),
        "sources": [
            record_document(counts, "source", file=counts.source.file, system=counts.source.system)
            for counts in pairing.sources
        ],
        "pairs": [
            {
                "sides": [
                    record_document(side, longer=longer) for side, longer in zip(pair.sides, pair.longer, strict=True)
                ],
                "identical": pair.identical,
            }
            for pair in pairing.pairs
        ],
        "items": _items(pairing),
        "notes": remarks(pairing, settings),
        "next": command("check", folder) if written else None,
    }  # fmt: skip


def _items(pairing: Pairing) -> int:
    return sum(pair.sides[0].kept for pair in pairing.pairs)


def _minus(number: int) -> str:
    return f"-{number:,}" if number else "0"
