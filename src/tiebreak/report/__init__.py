"""Results as tables; pictures are to follow."""
