"""Ends before it has read a line."""

import sys

sys.exit(3)
