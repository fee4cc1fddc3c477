"""How many labels a comparison will need, before spending any: by simulation, with the kernels of the verdicts."""
