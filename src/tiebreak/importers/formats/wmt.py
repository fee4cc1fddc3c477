"""WMT metrics task: the folder of a test set, with sources, references, outputs and scores, a line for each segment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem
from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, says
from tiebreak.tabular.source import Place, Source, Sources

_OUTPUTS: Final = "system-outputs"


def _fits(source: Source) -> bool:
    return source.is_folder and (source.path / _OUTPUTS).is_dir() and (source.path / "sources").is_dir()


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n") if path.is_file() else []


def _read(sources: Sources) -> Entries:
    for source in sources:
        for folder in sorted(part for part in (source.path / _OUTPUTS).iterdir() if part.is_dir()):
            yield from _languages(source.path, folder.name)


def _languages(root: Path, pair: str) -> Entries:
    asked = _lines(root / "sources" / f"{pair}.txt")
    # A line is a domain and a document, with tabs or spaces between them.
    documents = [(line.split() or [""])[:2][-1] for line in _lines(root / "documents" / f"{pair}.docs")]
    items = [f"{pair}/{number}" for number in range(1, len(asked) + 1)]
    references = {
        path.name.removeprefix(f"{pair}.").removesuffix(".txt"): _lines(path)
        for path in sorted((root / "references").glob(f"{pair}.*.txt"))
    }
    for number, (item, source_text) in enumerate(zip(items, asked, strict=True)):
        cluster = documents[number] if number < len(documents) else None
        written = [texts[number] for texts in references.values() if number < len(texts)]
        place = Place(str(root / "sources" / f"{pair}.txt"), number + 1, "line")
        yield says(place, item=item, input=source_text, reference=written, cluster=cluster)
    for path in sorted((root / _OUTPUTS / pair).glob("*.txt")):
        outputs = _lines(path)
        if len(outputs) != len(items):
            message = f"{len(outputs):,} lines, and {len(items):,} sources: each segment has one of both"
            raise InputError([Problem(str(path), message)])
        if list(references) == [path.stem]:
            continue  # a copy of the only reference, for people to score: no output that could be compared with it
        for number, (item, output) in enumerate(zip(items, outputs, strict=True), 1):
            yield says(Place(str(path), number, "line"), item=item, system=path.stem, text=output)
    for path in sorted((root / "human-scores").glob(f"{pair}.*.seg.score")):
        name = path.name.removeprefix(f"{pair}.").removesuffix(".seg.score")
        for place, item, system, value in _scores(path, items):
            yield says(place, item=item, system=system, annotator=name, criterion=name, value=value)
    for path in sorted((root / "metric-scores" / pair).glob("*.seg.score")):
        metric = path.name.removesuffix(".seg.score")
        for place, item, system, value in _scores(path, items):
            yield says(place, item=item, system=system, metric=metric, score=value)


def _scores(path: Path, items: list[str]) -> Iterator[tuple[Place, str, str, str]]:
    """Lines of system and score, segment after segment of each system; None is no score."""
    seen: dict[str, int] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        place, system, value = Place(str(path), number, "line"), line.split()[0], line.split()[-1]
        segment = seen[system] = seen.get(system, -1) + 1
        if segment >= len(items):
            message = f"more scores of {system} than the {len(items):,} sources"
            raise InputError([place.problem(message)])
        yield place, items[segment], system, "" if value == "None" else value


def _remark(sources: Sources) -> str:
    """Scores of whole systems and documents, and the marks behind ratings, are beside those that are read."""
    folders = [source.path / name for source in sources for name in ("human-scores", "metric-scores")]
    others = {path.suffixes[-2] + path.suffix for folder in folders for path in folder.rglob("*.*.*")} - {".seg.score"}
    return f"Of scores only those of segments are read, not files *{', *'.join(sorted(others))}." if others else ""


FORMAT: Final = Format("wmt", "WMT metrics-task folders", _fits, _read, remark=_remark)
