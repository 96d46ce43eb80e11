"""Commands that run bots in single matches: match, play and rerun."""
