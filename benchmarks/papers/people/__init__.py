"""Evaluators that learned from people's labels, measured on texts that they have not seen."""
