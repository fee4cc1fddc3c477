"""Tables of any layout: columns are guessed, shown, and asked about."""
