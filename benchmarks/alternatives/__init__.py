"""Exact alternatives to the rules of the package: compared with them here, and used by no command."""
