"""What lies at a path, and its result."""

from tiebreak.places.place import Place, PlaceKind, place_at, study_at, study_behind
from tiebreak.places.result import labels_that_count, result_at

__all__ = ["Place", "PlaceKind", "labels_that_count", "place_at", "result_at", "study_at", "study_behind"]
