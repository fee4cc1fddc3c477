"""Scores of single outputs by what was trained: by comparisons with others, or alone."""
