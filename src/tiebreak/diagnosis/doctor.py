"""What a study holds, what it supports, what blocks the rest, and what looks wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tiebreak.checks import data_warnings
from tiebreak.data.study import Study
from tiebreak.diagnosis.capabilities import Blocker, Capability, blockers, capabilities
from tiebreak.diagnosis.holdings import Holdings, holdings
from tiebreak.diagnosis.support import ALPHA, CriterionSupport, study_support
from tiebreak.errors import ExtraMissingError
from tiebreak.evidence.derived import DERIVED_CODE, with_derived
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.records import Notice

__all__ = ["Blocker", "Capability", "Diagnosis", "doctor"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of `doctor`.

    `holds`: everything counted; `supports`: what can be done, with the reason; `blocks`: what stands in the way and
    how many labels would remove it; `looks_wrong`: notices, those of reading the study first; `criteria`: per
    criterion and pair, the smallest difference that the labels could have decided at `alpha`, all pairs of all
    criteria tested together. The default label rule is taken: the mean of an item's labels. `campaign`: the name of the
    campaign that the labels are an export of, None where they are of none. `watched`: whether the study has a ledger of
    looks.
    """

    study: str
    alpha: float
    holds: Holdings
    supports: tuple[Capability, ...]
    blocks: tuple[Blocker, ...]
    looks_wrong: tuple[Notice, ...]
    criteria: tuple[CriterionSupport, ...]
    campaign: str | None = None
    watched: bool = False

    @property
    def about(self) -> str:
        """What is examined, where that is not what `compare` shows; "" where it is."""
        if self.watched:
            return (
                "This study is watched: compare shows the verdicts of the last look. What follows is about all labels "
                "that are there now, as compare --own-analysis takes them."
            )
        if self.campaign is None:
            return ""
        return (
            f"This is the export of the campaign {self.campaign}: compare shows the campaign's own verdict, by its "
            "protocol. What follows is about the labels alone, as compare --own-analysis takes them."
        )

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-ready lists and dictionaries."""
        return {
            "study": self.study,
            "campaign": self.campaign,
            "watched": self.watched,
            "alpha": self.alpha,
            "holds": {**asdict(self.holds), "human_labels": self.holds.human_labels, "outputs": self.holds.outputs},
            "supports": [asdict(capability) for capability in self.supports],
            "blocks": [asdict(blocker) for blocker in self.blocks],
            "criteria": [asdict(support) for support in self.criteria],
            "warnings": [notice.to_dict() for notice in self.looks_wrong],
        }


def doctor(study: Study, campaign: str | None = None, possible_pairs: int | None = None) -> Diagnosis:
    """Examines a study, however poor: one system, outputs only, no labels, all ties.

    `campaign`: the name of the campaign whose export the study is, which has a verdict of its own. `possible_pairs`: of
    the study's systems, those about which anybody was to be asked; None: all but those with a reference that nobody
    labelled.

    Nothing here is a verdict: differences that "would be found" are those that one look finds in 80% of all
    studies with as many labels, ties and clusters.
    """
    analysed, missing = _with_derived(study)
    tested = with_derived(study, beside=False) if not missing else analysed
    evidence = study_evidence(tested, tested.criteria, EvidenceSettings(ordered=False))
    held = holdings(study, evidence.index, analysed)
    every = held.candidates * (held.candidates - 1) // 2
    possible = every if possible_pairs is None else possible_pairs
    supports = study_support(evidence, possible)
    blocked = blockers(held, supports)
    noticed = (notice for notice in analysed.notices if notice.code != DERIVED_CODE)
    wrong = (*noticed, *missing, *data_warnings(analysed, evidence))
    return Diagnosis(
        study=study.name,
        alpha=ALPHA,
        holds=held,
        supports=capabilities(analysed, held, supports),
        blocks=blocked,
        looks_wrong=wrong,
        criteria=supports,
        campaign=campaign,
    )


def _with_derived(study: Study) -> tuple[Study, tuple[Notice, ...]]:
    """The study with derived ratings; what cannot be derived here as nothing is installed for it, in a notice."""
    try:
        return with_derived(study), ()
    except ExtraMissingError as error:
        listed = [name for name in study.settings.criteria or () if name != "HTER"]
        return with_derived(study, listed), (Notice("extra-missing", str(error), {"criterion": "HTER"}),)
