"""Worlds of one look at a finished set: what the rule `fixed` promises, and the wrong readings beside it."""
