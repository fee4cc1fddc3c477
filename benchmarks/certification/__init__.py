"""The certification of error rates: what is simulated, by which rules, and what came out (see ../certify.py)."""
