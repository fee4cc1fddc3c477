"""What lies at a path, and its result."""

from tiebreak.places.place import Place, PlaceKind, place_at, study_at
from tiebreak.places.result import result_at

__all__ = ["Place", "PlaceKind", "place_at", "result_at", "study_at"]
