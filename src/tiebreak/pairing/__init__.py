"""Outputs of generators that have no inputs, paired into items."""
