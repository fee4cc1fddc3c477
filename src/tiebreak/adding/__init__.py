"""Rows of further files into a study that exists: matched, told from what is known, all of a file or nothing."""
