"""Calls that are handed in together and collected later, at a lower price, so that nothing is ever paid twice.

An intent is on disk before anything is handed in. Where it is not known whether a provider took it, the provider's own
list is searched; what cannot be told is asked.
"""
