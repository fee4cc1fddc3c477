"""Simulated worlds, exact sums and small campaigns that benchmarks and tests share."""
