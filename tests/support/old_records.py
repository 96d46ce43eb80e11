"""Records that golfref 0.2.0 made, a match of every preset with three bots: for tests that need records and no bots."""

import gzip
from pathlib import Path

import msgspec

from referee.rules.record import Record

FILE = Path(__file__).parent.parent / "tournament/verify/records_0_2_0.jsonl.gz"

LINES = gzip.decompress(FILE.read_bytes()).splitlines()

BY_PRESET = {record.preset: record for record in (msgspec.json.decode(line, type=Record) for line in LINES)}
