"""What docs/price_of_debiasing.md is made of: the paper's figures, its tables on SummEval, and intervals counted."""
