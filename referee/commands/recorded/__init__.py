"""Commands that show one recorded match: replay, its states and steps, and transcript."""
