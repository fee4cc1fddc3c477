"""The mathematics: one method a file, int-coded arrays in, frozen results out; numpy and scipy only."""
