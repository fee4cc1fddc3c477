"""Encoders, and the two ways to compare texts with one."""
