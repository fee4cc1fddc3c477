"""The parts of `benchmarks/same_results.py`; only `product/` knows names of tiebreak."""
