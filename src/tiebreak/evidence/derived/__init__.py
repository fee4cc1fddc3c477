"""Ratings that follow from other labels: edits and spans."""

from tiebreak.evidence.derived.view import check_criteria, why_not_derived, with_derived

__all__ = ["check_criteria", "why_not_derived", "with_derived"]
