"""TOML that people write, read into structs: every problem is told together, each with its line and column.

Must not know what any key means.
"""
