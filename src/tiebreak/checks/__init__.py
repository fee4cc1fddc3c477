"""What looks wrong in the data behind a comparison; docs/warnings.md lists every warning with its thresholds."""

from tiebreak.checks.all_checks import data_warnings

__all__ = ["data_warnings"]
