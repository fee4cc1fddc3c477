"""From a study to a frozen result: compare, doctor."""
