"""Worlds of `--rule anytime`: labels looked at one by one, its rules, and rules for one look as controls."""
