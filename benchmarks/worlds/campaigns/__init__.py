"""Worlds of whole campaigns: who answers, what happens to late answers, which pair is asked, and when a pair ends."""
