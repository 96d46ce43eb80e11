"""One match between live bots: processes, clocks, the pump, the slap race, faults."""
