"""`check`: what a study holds, what can be computed from it, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from tiebreak.checks.all_checks import data_warnings
from tiebreak.checks.holdings import Holdings, holdings
from tiebreak.data.columns import one_way_round
from tiebreak.data.schema import TABLES, derivable
from tiebreak.data.study import Study
from tiebreak.errors import ExtraMissingError
from tiebreak.evidence.derived import why_not_derived, with_derived
from tiebreak.evidence.study_evidence import EvidenceSettings, StudyEvidence, study_evidence
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.numbers import counted, counted_range, listed_names, some_names
from tiebreak.records import Notice
from tiebreak.results.shown import SummarisedResult

__all__ = ["StudyCheck", "Support", "check"]


@dataclass(frozen=True, slots=True)
class Support:
    """Something that can be computed, or cannot: `name` is stable, `why` gives the figures or what is missing."""

    name: str
    possible: bool
    why: str


@dataclass(frozen=True, slots=True)
class StudyCheck(SummarisedResult):
    """The findings of `check`.

    `holds`: everything counted; `supports`: what can be computed, and why not; `looks_wrong`: notices, those of reading
    the study first. `campaign`: the name of the campaign that the labels are an export of, None where they are of none.
    `watched`: whether the study has a ledger of looks.
    """

    study: str
    holds: Holdings
    supports: tuple[Support, ...]
    looks_wrong: tuple[Notice, ...]
    campaign: str | None = None
    watched: bool = False

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-ready lists and dictionaries."""
        return {
            "study": self.study,
            "campaign": self.campaign,
            "watched": self.watched,
            "holds": {**asdict(self.holds), "human_labels": self.holds.human_labels, "outputs": self.holds.outputs},
            "supports": [asdict(support) for support in self.supports],
            "warnings": [notice.to_dict() for notice in self.looks_wrong],
        }


def check(study: StudySource, campaign: str | None = None) -> StudyCheck:
    """Examines a study, however poor: one system, outputs only, no labels, all ties. Nothing here is a verdict.

    `campaign`: the name of the campaign whose export the study is, which has a verdict of its own.
    """
    study = study_of(study)
    analysed, missing = _with_derived(study)
    tested = with_derived(study, beside=False) if not missing else analysed
    evidence = study_evidence(tested, tested.criteria, EvidenceSettings(ordered=False))
    held = holdings(study, evidence.index, analysed)
    return StudyCheck(
        study=study.name,
        holds=held,
        supports=(
            _compare(held, evidence),
            *_estimate(analysed),
            *_derived(analysed, held),
            *missing,
            _agreement(study),
            *_beside_people(held),
            *_evaluator(study, held),
        ),
        looks_wrong=(*analysed.notices, *data_warnings(analysed, evidence, metrics=("all",))),
        campaign=campaign,
    )


def _with_derived(study: Study) -> tuple[Study, tuple[Support, ...]]:
    """The study with derived ratings, and what cannot be derived here as nothing is installed for it."""
    try:
        return with_derived(study), ()
    except ExtraMissingError as error:
        listed = [name for name in study.settings.criteria or () if name != "HTER"]
        return with_derived(study, listed), (Support("derived", False, str(error)),)


def _compare(held: Holdings, evidence: StudyEvidence) -> Support:
    """Pairs and items with labels; criteria with the same figures together."""
    if held.candidates < 2:
        count = counted(held.candidates, "system") if held.candidates else "no systems"
        return Support("compare", False, f"there {'is' if held.candidates == 1 else 'are'} {count}; it takes two")
    possible = held.candidates * (held.candidates - 1) // 2
    by_figures: dict[str, list[str]] = {}
    for found in evidence.criteria:
        asked = [pair for pair in found.summaries if pair.labels]
        if asked:
            pairs = "the pair" if possible == 1 else f"{len(asked):,} of {possible:,} pairs"
            figures = f"{pairs} on {counted_range([pair.items for pair in asked], 'item')}"
            by_figures.setdefault(figures, []).append(found.criterion or "")
    if not by_figures:
        why = "no item has labels on two systems" if held.human_labels else "there are no labels"
        return Support("compare", False, f"{why}: tiebreak campaign create collects them")
    return Support("compare", True, "; ".join(_on(names, figures) for figures, names in by_figures.items()))


def _estimate(study: Study) -> Iterable[Support]:
    """Mean ratings: of how many outputs, and the criteria whose scale nobody states."""
    if study.ratings is None:
        return
    rated = study.ratings.unique(["criterion", "system", "item", "sample"])
    counts = rated.group_by("criterion", "system").len()["len"].to_list()
    systems = rated["system"].n_unique()
    why = f"means of {counted(systems, 'system')}, {counted_range(counts, 'rated output')}{' each' * (systems > 1)}"
    named = set(rated["criterion"].unique())
    without = [name for name in study.criteria if name in named and name not in study.settings.scale]
    without = [name for name in without if name not in study.derived]
    if without:
        why += f'; add scales to study.toml, such as [scale] "{without[0]}" = [1, 5]'
    yield Support("estimate", True, why)


def _derived(study: Study, held: Holdings) -> Iterable[Support]:
    """Criteria that follow from edits and spans, and what is missing where there might be some."""
    if reason := why_not_derived(study):
        yield Support("derived", False, reason)
        return
    if study.spans is None and study.passages is not None:
        yield Support("derived", False, "there are passages, but the table spans says of none whether it supports")
    made = [f"{found.criterion} from {found.kind}" for found in held.derived]
    more = [found.name for found in derivable(study.tables) if found.name not in study.criteria]
    more = [f"{name} with --criterion {name}" for name in more]
    if made or more:
        yield Support("derived", True, listed_names([*made, *more]))


def _agreement(study: Study) -> Support:
    """How many questions have the answers of two annotators or more."""
    sizes: list[int] = []
    for spec, frame in ((TABLES["preferences"], study.preferences), (TABLES["ratings"], study.ratings)):
        if frame is not None:
            asked = [name for name in spec.question if name != "annotator"]
            rows = one_way_round(frame) if spec.pair_key else frame
            sizes += rows.group_by(asked).len()["len"].to_list()
    several = sum(size > 1 for size in sizes)
    if not several:
        return Support("agreement", False, "no question has the answers of two annotators")
    return Support("agreement", True, f"{several:,} of {counted(len(sizes), 'question')} have two annotators or more")


def _beside_people(held: Holdings) -> Iterable[Support]:
    """Metrics and judges that people's labels can be set beside, and those that nothing is known of."""
    known: list[tuple[str, str, bool]] = [("metric", of.metric, of.validated) for of in held.metrics]
    known += [("judge", of.judge, of.validated) for of in held.judges]
    if not known:
        return
    able = list(dict.fromkeys(name for _, name, validated in known if validated))
    without = [name for name in dict.fromkeys(name for _, name, _ in known) if name not in able]
    doubt = f"unvalidated, as people labelled nothing of what was judged: {some_names(without)}" if without else ""
    yield Support("audit", bool(able), "; ".join(part for part in (some_names(able), doubt) if part))


def _evaluator(study: Study, held: Holdings) -> Iterable[Support]:
    """What an evaluator could learn from, where there are checkpoints of trainings."""
    known = {name: study.settings.systems[name] for name in study.systems if name in study.settings.systems}
    runs = {one.run for one in known.values() if one.run is not None}
    if not runs or study.outputs is None:
        return
    steps = [one.run for one in known.values() if one.run is not None and one.step is not None]
    checkpoints = sum(steps.count(run) for run in runs if steps.count(run) > 1)
    references = sum(one.reference for one in known.values())
    sources = [
        counted(count, noun)
        for count, noun in (
            (held.references, "reference text"),
            (references, "reference system"),
            (checkpoints, "checkpoint"),
            (held.human_labels, "human label"),
        )
        if count
    ]
    why = ", ".join(sources) if sources else "it learns from references, checkpoints or labels, and there are none"
    yield Support("evaluator", bool(sources), why)


def _on(names: list[str], figures: str) -> str:
    """The criteria that have these figures; none is named where labels name none."""
    return figures if names == [""] else f"{figures} ({some_names([name or 'no criterion' for name in names])})"
