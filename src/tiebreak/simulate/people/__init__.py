"""Who answers simulated campaigns: workers, crowds, agents, judges, and metrics beside them."""
