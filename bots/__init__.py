"""Reference bots and starter kits, a folder each; they know protocol/ at most."""
