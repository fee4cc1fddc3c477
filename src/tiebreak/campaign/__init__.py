"""The campaign protocol, pure: who labels what next, what a label changes, and when to stop. No files, no clock."""
