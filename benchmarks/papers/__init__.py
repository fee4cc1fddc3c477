"""Reproductions of the experiments of the papers that tiebreak builds on."""
