"""What an evaluator learns from: pairs of texts of one context, and which of the two is better."""
