"""The organiser's config file: it is read and checked as a whole, and every problem is told with its place.

Knows what bots and variants are; it must not know plans, stores or matches.
"""
