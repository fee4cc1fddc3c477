"""How wrong a metric or judge is, by the human labels of a study: audit."""
