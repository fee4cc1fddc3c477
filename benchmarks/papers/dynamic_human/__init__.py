"""Dynamic human evaluation: its campaigns on simulated workers and on the crowd's labels."""
