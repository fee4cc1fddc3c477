"""Two other packages beside `compare`: run in the interpreter that has them, on the same labels."""
