"""What was found, as frozen records, and in words: the same for every command and every form of output."""
