"""Reading, checking and writing study folders."""
