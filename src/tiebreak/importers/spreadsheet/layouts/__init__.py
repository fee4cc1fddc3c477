"""Layouts of tables that are read as others: each is a function that makes the table that the guess understands."""
