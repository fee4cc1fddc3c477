"""The cells of Excel workbooks, as a stream: nothing is inflated, and no cell made, beyond what a file can need."""
