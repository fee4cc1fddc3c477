"""What docs/price_of_debiasing.md is made of: the paper's figures, and its tables on SummEval."""
