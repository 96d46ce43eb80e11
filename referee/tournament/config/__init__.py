"""The organiser's config file: read, checked as a whole, every problem told with its place.

Knows what bots and variants are; it must not know plans, stores or matches.
"""
