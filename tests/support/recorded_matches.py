"""Records of a match of every preset with three bots: for tests that need records and no bots.

The file is never written anew: a version that no longer verifies its records must raise the number of the format.
"""

import gzip
from pathlib import Path

import msgspec

from referee.rules.record import Record

LINES = gzip.decompress(Path(__file__).with_name("records.jsonl.gz").read_bytes()).splitlines()

BY_PRESET = {record.preset: record for record in (msgspec.json.decode(line, type=Record) for line in LINES)}
