"""Labels that exist, handed out again as if they were being collected."""
