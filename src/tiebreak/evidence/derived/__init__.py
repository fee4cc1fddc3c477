"""Ratings that follow from other labels: edits and spans."""

from tiebreak.evidence.derived.view import check_criteria, why_not_derived, with_derived
from tiebreak.evidence.derived.words import DERIVED_CODE

__all__ = ["DERIVED_CODE", "check_criteria", "why_not_derived", "with_derived"]
