"""What there is to ask: comparisons of two outputs, or grades of single ones, less what is known already."""
