"""Pictures of a run as SVG files: made when a site or a report is made, and shown by any browser as they are.

They show what tournament/summary.py and the accumulators in this folder computed. They must not know stores, pages or
commands, and they compute no claim of their own.
"""
