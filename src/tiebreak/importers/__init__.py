"""Other tools' files, turned into a study."""
