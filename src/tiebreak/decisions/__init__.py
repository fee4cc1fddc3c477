"""From label sequences to verdicts, the same for `compare` and for campaigns; no tables, no files."""
