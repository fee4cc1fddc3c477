"""How an evaluator is trained, kept, and described."""
