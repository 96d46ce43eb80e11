"""Commands for the bots of a competition: submit, entries and check."""
