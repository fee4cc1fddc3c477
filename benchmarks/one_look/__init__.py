"""The certification of the rule `fixed`: its cells, its controls, and the page that they make."""
