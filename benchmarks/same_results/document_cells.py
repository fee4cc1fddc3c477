"""Cells of what commands print as JSON and of the tables that they write; keys and numbers count, sentences do not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from benchmarks.same_results.made_studies import METRIC
from benchmarks.same_results.product import commands
from benchmarks.same_results.real_studies import FOLDER, REAL_STUDIES, SUMMEVAL, WMT, RealStudy
from benchmarks.same_results.records import Cell, Record

METRICS = ("bleu", "bleu-234", "chrf", "chrf++", "ter", "rouge1", "rouge2", "rougeL", "meteor", "cider", "cider-d")
METRICS_ALONE = ("edit-distance", "edit-distance-characters", "length", "distinct-2", "repetition")
RATING_CAMPAIGNS = 4


def cells() -> Iterator[Cell]:
    """All of them."""
    for study in REAL_STUDIES:
        for command in _of_real(study):
            arguments = (command.format(study=FOLDER / study.name),)
            yield Cell(f"document/{study.name}/{command.replace(' {study}', '')}", commands.printed, arguments)
    for command in _without_study():
        yield Cell(f"document/{command}", commands.printed, (command,))
    for number, commanded in zip(count(), _on_made(), strict=False):
        yield Cell(f"files/{number:02d} {' && '.join(commanded)}", on_made, (number, commanded))
    for number in range(RATING_CAMPAIGNS):
        yield Cell(f"export/ratings-{number}", commands.rating_export, (number,))
    for number in range(3):
        yield Cell(f"export/preferences-{number}", commands.preference_export, (number,))
    for seed in range(3):
        yield Cell(f"evaluator/ratings-{seed}", commands.evaluator_ratings, (seed,))


def on_made(number: int, commanded: tuple[str, ...]) -> Record:
    """What commands print and write in a folder that holds a small study with labels."""
    return commands.in_folder(number, commanded)


def _of_real(study: RealStudy) -> Iterator[str]:
    """Commands on a real study: all of it where that is quick, else a few systems and one criterion."""
    few = f" --systems '{','.join(study.few)}'" if study.few else ""
    one = {SUMMEVAL.name: " --criterion relevance", WMT.name: " --criterion mqm"}.get(study.name, "")
    yield f"compare {{study}}{few}"
    yield f"compare {{study}}{few}{one} --rule anytime --margin 0.1"
    yield f"rank {{study}}{few}{one}"
    yield f"rank {{study}}{few}{one} --glicko2 standard --several first"
    yield f"check {{study}}{few}"
    yield f"plan {{study}}{few}{one}"
    metrics, judges = study.one_helper
    helped = "".join(f" --metric {name}" for name in metrics) + "".join(f" --judge {name}" for name in judges)
    if helped:
        yield f"audit {{study}}{few}{one}{helped}"
        yield f"compare {{study}}{few}{one}{helped} --target items"
    if study.judge is not None:
        yield f"rank {{study}}{few} --source judge:{study.judge}"
    if study.has_ratings:
        yield f"estimate {{study}}{few}"
        yield f"estimate {{study}}{few}{one} --metric all"


def _without_study() -> Iterator[str]:
    yield "plan --difference 0.1 --number-of-systems 3 --price 0.1 --max-money 200"
    yield "plan --rate fluency=1:5 --half-width 0.2 --number-of-systems 4 --sigma-a 0.8 --price 0.1"
    yield "simulate --qualities 0.4,0.1,0 --number-of-items 120 --price 0.1 --repetitions 20 --workers 1"
    yield "simulate --qualities 0.4,0 --rule fixed --items-per-pair 60 --repetitions 8 --engine steps --workers 1"
    yield "simulate --rate fluency=1:5 --half-width 0.4 --means 3.1,3.5 --repetitions 6 --workers 1"
    yield "score --list"


def _on_made() -> Iterator[tuple[str, ...]]:
    """Commands that write: each cell in a folder of its own with `study`, `more.csv` and `unpaired` files."""
    for metric in METRICS:
        yield (f"score study --metric {metric}",)
    yield ("score study " + " ".join(f"--metric {name}" for name in METRICS_ALONE) + "",)
    yield ("compare study", f"estimate study --metric {METRIC}", "audit study", "rank study", "check study")
    yield ("import labels.csv imported --yes", "compare imported", "check imported")
    yield ("import ratings.csv rated --yes", "estimate rated", "compare rated", "rank rated", "audit rated")
    yield ("add study more.csv --yes", "compare study")
    yield ("pair one.txt two.txt --out paired",)
    yield ("watch study --several mean", "add study more.csv --yes", "watch study")
    yield ("demo demo", "compare demo", "estimate demo", "rank demo", "audit demo", "check demo")
