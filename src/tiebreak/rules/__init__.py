"""How ordered values become a verdict, the same for `compare` and for campaigns; no tables, no files."""
