"""An example study with a known truth."""
