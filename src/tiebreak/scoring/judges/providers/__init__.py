"""Servers that models answer through: how each is asked, and how its replies and errors read."""
