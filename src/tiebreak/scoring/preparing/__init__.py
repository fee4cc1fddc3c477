"""What is done to outputs before metrics and people see them: one step a file."""
