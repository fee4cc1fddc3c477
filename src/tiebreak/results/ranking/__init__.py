"""Ratings and leaderboards: what was asked for, what was found, and in words."""
