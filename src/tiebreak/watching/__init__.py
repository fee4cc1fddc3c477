"""Labels that keep coming: a ledger of what was seen at which look, and verdicts that hold at every look."""
