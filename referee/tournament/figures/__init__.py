"""What the results of a run show: means, differences, ratings, and how sure they are. All is read from one block table.

This folder must not know plans, formats, stores or how tables look.
"""
