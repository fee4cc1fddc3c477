"""Prints what `tiebreak pair` made of the files: what was dropped and why, and whether lengths are balanced."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from tiebreak.cli.terminal import Name, console_for_results, say, say_command, show_table
from tiebreak.numbers import command, counted
from tiebreak.pairing.pairs import PairCounts, Pairing, PairingSettings, SourceCounts
from tiebreak.records import document as record_document

_SHOWN: Final = 6
# One side longer this much more often, as a share of the pairs, is worth a note; but not in a handful of pairs.
_UNBALANCED: Final = 0.2
_FEW: Final = 5


def show_pairing(
    pairing: Pairing, settings: PairingSettings, folder: str, *, written: bool, console: Console | None = None
) -> None:
    """A table for every two systems, what to know about their pairs, and what was written."""
    console = console or console_for_results()
    sources = {counts.source.system: counts for counts in pairing.sources}
    for pair in pairing.pairs:
        _show_pair(pair, sources, settings, console)
    for text in remarks(pairing, settings):
        say(console, Text.assemble(("note ", "yellow"), text))
    rows = f"{counted(_items(pairing), 'item')}, {counted(2 * _items(pairing), 'output')}"
    if written:
        say(console, Text.assemble(("Wrote", "bold green"), f" {folder}: {rows}"))
        say_command(console, "check", folder, before="Next: ")
    else:
        say(console, f"Would write {folder}: {rows}. Nothing was written (--dry-run).")


def _show_pair(pair: PairCounts, sources: dict[str, SourceCounts], settings: PairingSettings, console: Console) -> None:
    left, right = pair.sides
    show_table(
        console,
        [Name(""), left.system, right.system],
        [[Text(cell, style=style) for cell in cells] for *cells, style in _rows(pair, sources, settings)],
    )
    same = left.kept - sum(pair.longer)
    say(
        console,
        f"Of {counted(left.kept, 'pair')}, {left.system} is longer in {pair.longer[0]:,}, "
        f"{right.system} in {pair.longer[1]:,}, neither in {same:,}.",
    )
    say(console)


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
    shown = [f"{name} {value} ({', '.join(systems)})" for name, value, systems in pairing.lone_values[:_SHOWN]]
    hidden = len(pairing.lone_values) - len(shown)
    if shown:
        more = f" and {hidden} more" if hidden else ""
        found.append(f"values that not every file has: {', '.join(shown)}{more}")
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
