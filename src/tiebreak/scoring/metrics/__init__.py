"""The metrics that tiebreak has: one file each, with its metrics in `METRICS`."""
