"""Simulated studies that tiebreak and other packages can read, and what each of them says."""
