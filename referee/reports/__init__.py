"""Tables and texts about what was played. They read results and records, never a live match."""
