"""Events: what happens in a run, as programs are sent it, one JSON object a line; and the organiser's hooks.

It knows a run and its store. It must not know a competition, a command, or who reads the lines.
"""
