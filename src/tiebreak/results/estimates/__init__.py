"""What `estimate` found: its settings, records and words."""
