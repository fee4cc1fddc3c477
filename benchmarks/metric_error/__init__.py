"""Metric-error-correction on the data at hand: what is run, and the page docs/metric_error_correction.md."""
