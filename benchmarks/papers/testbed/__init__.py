"""Small models that learn to write one text for another, and what their checkpoints wrote, as study folders."""
