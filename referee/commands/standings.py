"""standings: the tables of a run, from its store alone."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from protocol.text import printable
from referee.commands.console import DONE, USAGE, put, put_json, say
from referee.reports.blame import explain
from referee.reports.tables import NAME_LIMIT, report
from referee.rules.record import Record
from referee.tournament.results import Document, document_of
from referee.tournament.standings import Standings
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

NAMED = 5
"""Reasons and matches of which a line names no more."""

EXAMPLES = 3
"""Matches with a fault of one kind that are named for each bot; --json tells all."""

CROWDED = 0.1
"""Where the referee was late in a greater part of the matches, the host is overloaded."""


def print_standings(path: Path, *, as_json: bool, hashes: bool) -> int:
    """The tables again, or with `hashes` every match that counts and the hash of its record."""
    if as_json and hashes:
        say("golfref: --json and --hashes are two different things to print; give one of them")
        return USAGE
    try:
        with closing(Store.open(path)) as store:
            if hashes:
                put(*(f"{number} {value}" for number, value in store.hashes()))
                return DONE
            document = document_of(store, with_results=as_json)
            show(document, as_json=as_json)
            explain_faults(store, document)
    except StoreError as error:
        say(f"golfref: {error}")
        return USAGE
    return DONE


def explain_faults(store: Store, document: Document) -> None:
    """For each bot that was at fault: its faults in the first match with any, where to read on, and all matches."""
    seats: dict[str, tuple[int, int]] = {}
    matches: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for result in store.results() if any(row.faults for row in document.standings) else ():
        for seat, bot in enumerate(result.bots):
            for kind in result.faults[seat]:
                seats.setdefault(bot, (result.number, seat))
                matches[bot][kind].append(result.number)
    for bot, (number, seat) in seats.items():
        where = f"{store.path}:{number} --seat {seat} --wire"
        say(*explain(_record(store, number), seat, number), f"  all of it: golfref replay {where}")
        told = "; ".join(f"{kind} in {_numbers(numbers)}" for kind, numbers in matches[bot].items())
        say(f"bot {printable(bot, NAME_LIMIT)}: {told}")


def _numbers(numbers: Sequence[int]) -> str:
    """`match 44`, or `matches 34, 35, 40 and 22 more`."""
    if len(numbers) == 1:
        return f"match {numbers[0]}"
    rest = f" and {len(numbers) - EXAMPLES} more" if len(numbers) > EXAMPLES else ""
    return f"matches {', '.join(map(str, numbers[:EXAMPLES]))}{rest}"


def _record(store: Store, number: int) -> Record:
    try:
        return msgspec.json.decode(store.record(number), type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise StoreError(f"{store.path}: the record of match {number} is damaged ({error})") from None


def show(document: Document, *, as_json: bool) -> None:
    """The document as tables or as JSON."""
    if as_json:
        put_json(msgspec.json.encode(document))
    else:
        standings = Standings(
            rank_by=document.rank_by,
            overall=document.standings,
            variants=document.variants,
            crosstable=document.crosstable,
        )
        put(report(standings), "", *_provenance(document))


def _provenance(document: Document) -> list[str]:
    """Where the figures come from: without it no result can be defended."""
    voided = f", {document.voided} voided and played again" if document.voided else ""
    missing = "" if document.matches == document.planned else f" of {document.planned}"
    reuse = "" if document.reuse == "match" else f", bots' processes kept for the {document.reuse}"
    tables = [f"{variant} scores by {table}" for variant, table in document.scoring_tables.items()]
    return [
        *tables,
        f"{document.name}: {document.matches}{missing} matches{voided}; ± is 1.96 standard errors, clustered by block",
        *([f"slaps: {document.slap_timing} timing"] if document.slap_timing else []),
        *_troubles(document),
        _lateness(document),
        f"golfref {document.version}, isolation {document.isolation}{reuse}, {document.host}",
        f"commitment {document.commitment}",
        f"key        {document.key or 'revealed when all matches are played'}",
        f"digest     {document.digest if document.matches else 'no match yet'}",
    ]


def _lateness(document: Document) -> str:
    """How late the referee was, and what to do about it."""
    late = document.lateness
    text = f"referee's lateness: worst {late.worst_ms:.1f} ms"
    if late.above_100_ms:
        text += f", above 100 ms in {late.above_100_ms} of {document.matches} matches"
    crowded = late.above_100_ms > CROWDED * document.matches
    return text + ": the host is overloaded, use fewer jobs" * crowded


def _troubles(document: Document) -> list[str]:
    """What did not go as planned when the run began."""
    often = sorted(document.void_reasons.items(), key=lambda pair: -pair[1])
    lines = [f"  voided {count} times: {printable(reason, 300)}" for reason, count in often[:NAMED]]
    lines += [f"  voided for {len(often) - NAMED} more reasons; --json has all"] * (len(often) > NAMED)
    if document.unplayed:
        lines.append(f"  given up after every attempt was voided: matches {', '.join(map(str, document.unplayed))}")
    if document.retired:
        some = ", ".join(f"#{match.id}" for match in document.retired[:NAMED])
        more = ", ..." * (len(document.retired) > NAMED)
        lines.append(f"  {len(document.retired)} matches are out of the standings: {some}{more}; --json lists them")
    for event in document.history:
        lines.append(f"  after {event.after} matches:")
        lines += [f"    {printable(line, 300)}" for line in event.lines]
    return lines
