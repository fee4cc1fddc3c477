"""What a study holds, what it can decide, and what looks wrong in it: doctor."""
