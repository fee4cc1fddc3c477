"""The price of debiasing: its figures, and its tables on the ratings of SummEval."""
