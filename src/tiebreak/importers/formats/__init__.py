"""The files of other tools, one file for each format."""
