"""Made-up files in the shapes in which people have outputs and labels, with what they mean."""
