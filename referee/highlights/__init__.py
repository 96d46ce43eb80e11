"""Which moments of a run are worth seeing: a file for a few kinds of highlights, and what keeps the best of each.

Every kind has an exact definition in tournaments/HIGHLIGHTS.md, and its function here follows it. All scores come from
the results and from the rules' own scoring. This room must not know pages or terminals, nor read files or stores.
"""
