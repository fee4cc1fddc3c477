"""Metric error correction: its campaigns on the studies that are at hand, and its tables."""
