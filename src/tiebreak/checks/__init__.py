"""What looks wrong in the data behind a comparison; docs/warnings.md lists every warning with its thresholds."""

from tiebreak.checks.all_checks import campaign_warnings, data_warnings
from tiebreak.checks.thresholds import THRESHOLDS

__all__ = ["THRESHOLDS", "campaign_warnings", "data_warnings"]
