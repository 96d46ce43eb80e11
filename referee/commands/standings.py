"""standings: the tables of a run, from its store alone."""

from pathlib import Path

import msgspec

from referee.commands.console import DONE, USAGE, put, put_json, say
from referee.reports.blame import explain
from referee.reports.tables import report
from referee.rules.par_table import OURS_1
from referee.rules.record import Record
from referee.rules.variants import preset
from referee.tournament.facts import Facts
from referee.tournament.standings import Document, Standings, standings_of
from referee.tournament.store import Store, StoreError


def print_standings(path: Path, *, as_json: bool) -> int:
    """The tables again."""
    try:
        store = Store.open(path)
        try:
            document = document_of(store)
            show(document, as_json=as_json)
            explain_faults(store)
        finally:
            store.close()
    except StoreError as error:
        say(f"golfref: {error}")
        return USAGE
    return DONE


def document_of(store: Store, unplayed: tuple[int, ...] = ()) -> Document:
    """Everything that is told of a run; the master key only once nothing is left to be dealt from it."""
    meta = store.meta()
    results = list(store.results())
    standings = standings_of(results, meta.facts["rank_by"])
    complete = len(results) + len(unplayed) == meta.matches
    return Document(
        name=meta.facts["name"],
        matches=len(results),
        planned=meta.matches,
        voided=store.voids(),
        unplayed=unplayed,
        version=meta.golfref,
        host=meta.host,
        isolation=meta.facts["isolation"],
        rank_by=standings.rank_by,
        scoring_tables=_scoring_tables(meta.facts),
        commitment=meta.commitment,
        key=meta.master_key if complete else None,
        digest=store.digest(),
        standings=standings.overall,
        variants=standings.variants,
        crosstable=standings.crosstable,
    )


def explain_faults(store: Store) -> None:
    """For each bot that was at fault: its faults in the first match in which it was, and where to read all of it."""
    told: set[str] = set()
    for result in store.results():
        for seat, bot in enumerate(result.bots):
            if result.faults[seat] and bot not in told:
                told.add(bot)
                record = msgspec.json.decode(store.record(result.number), type=Record)
                say(*explain(record, seat), f"  all of it: golfref replay {store.path}:{result.number} --seat {seat}")


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


def _scoring_tables(facts: Facts) -> dict[str, str]:
    """PAR-25: which scoring table each game of par golf used, `ours-1` labelled as ours."""
    names = {
        entry["name"]: entry["options"]["par_table"]["name"]
        for entry in facts["variants"]
        if preset(entry["preset"]).tag == "PAR"
    }
    ours = f"{OURS_1.name}, which is ours and not the game publisher's"
    return {variant: ours if name == OURS_1.name else name for variant, name in names.items()}


def _provenance(document: Document) -> list[str]:
    """Where the figures come from: without it no result can be defended."""
    voided = f", {document.voided} voided and played again" if document.voided else ""
    missing = "" if document.matches == document.planned else f" of {document.planned}"
    tables = [f"{variant} scores by {table}" for variant, table in document.scoring_tables.items()]
    return [
        *tables,
        f"{document.name}: {document.matches}{missing} matches{voided}; ± is 1.96 standard errors, clustered by block",
        f"golfref {document.version}, isolation {document.isolation}, {document.host}",
        f"commitment {document.commitment}",
        f"key        {document.key or 'revealed when all matches are played'}",
        f"digest     {document.digest}",
    ]
