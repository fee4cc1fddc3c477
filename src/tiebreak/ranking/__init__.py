"""`rank`: from the labels of a study to ratings and leaderboards."""
