"""The pages of a site: what they say, as functions from a run's content to HTML.

They compute no figures but how scores are spread: these come from tournament/standings.py, in the words of reports/.
This room must not read stores, and must not write files.
"""
