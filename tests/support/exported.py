"""A run in a store with real records, in which chance says who had which outcome: it starts no bots."""

import json
import zlib
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from random import Random

import msgspec
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from protocol import VERSION
from referee import __version__
from referee.rules.record import Record
from referee.tournament.config.config import load
from referee.tournament.config.planned import MatchIdentities, whole_deals_of
from referee.tournament.orders import Played, result_of
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.plan.plan import Plan
from referee.tournament.store.disk import locked
from referee.tournament.store.rows import Meta
from referee.tournament.store.store import Store

NAMES = ("ann", "a|b", "<script>", "=1+1", "NA", '\'tis, "so"')
"""Bots of which some are called what a file's format could take for more than a name."""

CONFIG = """
[tournament]
name = "exported"
seed = "exported"
seats = 3
deals = {deals}
"""


def made_up_run(
    folder: Path, presets: Sequence[str], names: Sequence[str] = NAMES, deals: int = 1, without: int = 0
) -> Path:
    """The store of a run of these games between these bots, which lacks the last `without` matches of its plan."""
    text = CONFIG.format(deals=deals)
    text += "".join(f'[[variants]]\npreset = "{preset}"\n' for preset in presets)
    text += "".join(f'[[bots]]\nbuiltin = "random"\nname = {json.dumps(name)}\n' for name in names)
    (folder / "run.toml").write_text(text, encoding="utf-8")
    config = load(folder / "run.toml")
    run_config, key = config.run_config(), master_key(config.seed)
    plan, terms, dice = Plan(whole_deals_of([run_config], key)), MatchIdentities(run_config), Random("exported")  # noqa: S311 - it must be the same every time
    meta = Meta(
        golfref=__version__,
        protocol=VERSION,
        host="here",
        config=run_config,
        master_key=key.hex(),
        commitment=commitment(key),
        matches=len(plan),
    )
    path = folder / "run.golfref"
    with locked(path) as lock, closing(Store.create(path, meta, lock)) as store:
        for number in range(len(plan) - without):
            planned_match = plan[number]
            who = terms.identity(planned_match)
            record, hash_, packed = _dealt_out(planned_match.variant, dice.randrange(6))
            result = replace(result_of(planned_match, record), bots=who.bots)
            store.commit(Played(result=result, hash=hash_, record=packed), who)
    return path


@cache
def _dealt_out(preset: str, order: int) -> tuple[Record, str, bytes]:
    """The record of a preset with the outcomes of its three seats in another order; its hash, and how it is kept."""
    record = BY_PRESET[preset]
    seats = list(permutations(range(3)))[order]
    rounds = tuple(
        replace(
            one,
            raw=tuple(one.raw[seat] for seat in seats),
            scores=tuple(one.scores[seat] for seat in seats),
            ender=None if one.ender is None else seats.index(one.ender),
        )
        for one in record.result.rounds
    )
    totals = tuple(record.result.totals[seat] for seat in seats)
    ranks = tuple(record.result.ranks[seat] for seat in seats)
    made = replace(record, result=replace(record.result, totals=totals, ranks=ranks, rounds=rounds))
    data = msgspec.json.encode(made)
    return made, sha256(data).hexdigest(), zlib.compress(data)
