"""Simulated annotators and example data with a known truth."""
