"""Many matches: config, schedule, the store, standings and their statistics, verification."""
