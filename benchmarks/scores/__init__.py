"""What docs/certification_scores.md is made of: intervals of `estimate`, `audit` and campaigns of ratings, counted.

Studies with a known truth go through the commands' own functions; a cell counts, interval by interval, how many do not
hold it. The grid, its pieces on disk and its verdicts are those of `one_look`.
"""
