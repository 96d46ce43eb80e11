"""Checking everything again: records, runs, and what was published of them.

Knows the store, the plan and the rules; it must not start bots.
"""
