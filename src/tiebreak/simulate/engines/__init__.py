"""How simulated campaigns run: one event at a time through the campaign's core, or many at once in arrays."""
