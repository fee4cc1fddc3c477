"""LLM judges: which questions, how they are asked of a provider, what the replies say, and what they cost."""
