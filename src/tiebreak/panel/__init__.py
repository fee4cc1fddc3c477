"""Who labelled a study, how far they agree, and whose labels to look at."""
