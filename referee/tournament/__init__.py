"""Many matches: the config, the plan, playing it, the store, the standings, and checking all of it."""
