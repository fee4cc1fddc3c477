"""Absolute scores: mean ratings with intervals, and what metrics save (Chaganty, Mussmann & Liang 2018)."""
