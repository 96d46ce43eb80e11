"""Tables and exports; reads the store, never a live match."""
