"""Which round is drawn next, and when a tournament is over: a file for each format.

Every drawing is a pure function of the field and the past (`plan/rounds.py`), so that a run can be resumed, and anybody
can draw it again. Knows plans, results and statistics; it must not know stores, configs, processes or clocks.
"""
