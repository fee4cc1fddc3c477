"""Simulated campaigns: people, engines, replays of real labels, and many runs of them."""
