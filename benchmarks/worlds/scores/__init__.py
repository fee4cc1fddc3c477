"""Studies with a known truth that go through `estimate`, `audit` and campaigns of ratings, interval by interval."""
