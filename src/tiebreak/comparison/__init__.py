"""A finished set of labels in, a verdict for every pair out: compare."""
