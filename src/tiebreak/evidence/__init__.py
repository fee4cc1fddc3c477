"""A study as arrays: items, clusters, human and automatic values, and the order that evidence is read in."""
