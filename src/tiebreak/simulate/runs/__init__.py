"""Many simulated campaigns, and the table of how they ended."""
