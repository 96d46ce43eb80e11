"""`golfref tournament`, from the command line to the standings, and what is printed meanwhile."""
