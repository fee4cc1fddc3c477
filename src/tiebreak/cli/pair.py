"""`tiebreak pair`: outputs of generators that have no inputs, paired into a study."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.setting_options import JsonOption, argument, option, with_settings
from tiebreak.cli.show_pairing import document, show_pairing
from tiebreak.cli.terminal import write_json
from tiebreak.data.writers import write_study
from tiebreak.errors import UsageError
from tiebreak.kernels.length_matching import LengthTolerance
from tiebreak.pairing.pairs import PairingSettings, pair_outputs
from tiebreak.pairing.settings import SampledPairs
from tiebreak.pairing.sources import parse_sources
from tiebreak.settings.checks import read_names


class LengthUnit(StrEnum):
    """What the length of a text is counted in."""

    words = "words"
    characters = "characters"


Files = Annotated[
    list[str],
    argument("Outputs of one system each: .csv, .tsv, .xlsx, .jsonl, .parquet or .txt.", "[NAME=]FILE..."),
]
Out = Annotated[Path, option("The study folder to create.", "STUDY", "--out", "-o")]
Match = Annotated[
    str | None,
    option("Attributes that both texts of a pair must share, such as tense,sentiment.", "COLUMN,..."),
]
Tolerance = Annotated[
    str,
    typer.Option(
        metavar="20%|3", help="How far apart the lengths of a pair may be: a share of the longer, or a number."
    ),
]
Unit = Annotated[LengthUnit, typer.Option(help="What lengths are counted in; characters for languages without spaces.")]
TextColumn = Annotated[
    str | None,
    option("The column with the outputs, where its name does not say it.", "COLUMN"),
]
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
        report = document(pairing, settings, str(out), written=not dry_run)
        write_json(report)
    else:
        show_pairing(pairing, settings, str(out), written=not dry_run)


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
