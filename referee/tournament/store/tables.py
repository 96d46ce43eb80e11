"""The tables of a store, and the statements that read and write them, in the formats that this version knows.

What a row stands for is in rows.py.
"""

STORE_FORMAT = 4
"""The number of the format, which is this layout of tables and what the digest covers."""

EARLIER_FORMAT = 3
"""A run that began in this one goes on in it. Its digest covers the records of the matches that count, and no more."""

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, number INTEGER UNIQUE,
    variant TEXT NOT NULL, game TEXT NOT NULL, bots TEXT NOT NULL, versions TEXT NOT NULL,
    deal INTEGER NOT NULL, rotation INTEGER NOT NULL,
    result TEXT NOT NULL, hash TEXT NOT NULL, record BLOB NOT NULL
);
CREATE TABLE voids (
    id INTEGER PRIMARY KEY, after INTEGER NOT NULL, events INTEGER NOT NULL,
    number INTEGER, bots TEXT NOT NULL, attempt INTEGER NOT NULL, reason TEXT NOT NULL
);
CREATE TABLE history (id INTEGER PRIMARY KEY, after INTEGER NOT NULL, lines TEXT NOT NULL, facts TEXT);
"""

HOST_TABLES = """
CREATE TABLE IF NOT EXISTS hosts (
    id INTEGER PRIMARY KEY, after INTEGER NOT NULL, events INTEGER NOT NULL, voids INTEGER NOT NULL, told TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS played_on (id INTEGER PRIMARY KEY, host INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS voided_on (id INTEGER PRIMARY KEY, host INTEGER NOT NULL);
"""
"""The tables that a run has besides, all of them or none, once matches of it were played on several hosts.

By id of a match or a void, the id of the host that played it. A host has a row for each time that it came.
"""

_EARLIER_VOIDS = (
    "CREATE TABLE voids (number INTEGER, bots TEXT NOT NULL, attempt INTEGER NOT NULL, reason TEXT NOT NULL)"
)
_BY_SQLITE = "CREATE TABLE sqlite_stat1(tbl,idx,stat); CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"
"""What SQLite makes itself besides the indexes of our tables, which nobody has declared."""


def as_compared(statement: str) -> str:
    """A statement that makes a table, without what SQLite does not keep or people could write otherwise."""
    return " ".join(statement.replace("IF NOT EXISTS ", "").split())


STATEMENTS = frozenset(map(as_compared, f"{TABLES};{HOST_TABLES};{_EARLIER_VOIDS};{_BY_SQLITE}".split(";"))) - {""}
"""How each table is made that a store may hold, in any format."""

PLAYED_BY = {"matches": "played_on", "voids": "voided_on"}
"""By table, the one that tells which host each of its rows comes from."""

MATCH_COLUMNS = ("id", "number", "variant", "game", "bots", "versions", "deal", "rotation", "result", "hash")
"""The columns of a match that the next statement reads, in its order."""

SELECT_MATCH = "SELECT id, number, variant, game, bots, versions, deal, rotation, result, hash FROM matches"
SELECT_RECORDS = (
    "SELECT id, number, variant, game, bots, versions, deal, rotation, result, hash, record FROM matches"
    " WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"
)
INSERT_MATCH = (
    "INSERT INTO matches (number, variant, game, bots, versions, deal, rotation, result, hash, record) VALUES"
    " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_EVENT = "INSERT INTO history (after, lines, facts) VALUES ((SELECT coalesce(max(id), 0) FROM matches), ?, ?)"
INSERT_VOID = {
    EARLIER_FORMAT: "INSERT INTO voids (number, bots, attempt, reason) VALUES (?, ?, ?, ?)",
    STORE_FORMAT: (
        "INSERT INTO voids (after, events, number, bots, attempt, reason) VALUES"
        " ((SELECT coalesce(max(id), 0) FROM matches), (SELECT coalesce(max(id), 0) FROM history), ?, ?, ?, ?)"
    ),
}
SELECT_VOIDS = {
    EARLIER_FORMAT: "SELECT rowid, NULL, NULL, number, bots, attempt, reason FROM voids ORDER BY rowid",
    STORE_FORMAT: "SELECT id, after, events, number, bots, attempt, reason FROM voids ORDER BY id",
}
SELECT_GIVEN_UP = {
    EARLIER_FORMAT: (
        "SELECT DISTINCT number FROM voids WHERE attempt >= ? AND number NOT IN"
        " (SELECT number FROM matches WHERE number IS NOT NULL) ORDER BY number"
    ),
    STORE_FORMAT: (
        "SELECT DISTINCT number FROM voids WHERE attempt >= ? AND number NOT IN"
        " (SELECT number FROM matches WHERE number IS NOT NULL)"
        " AND events >= (SELECT coalesce(max(id), 0) FROM history WHERE facts IS NOT NULL) ORDER BY number"
    ),
}
INSERT_HOST = (
    "INSERT INTO hosts (after, events, voids, told) VALUES ((SELECT coalesce(max(id), 0) FROM matches),"
    " (SELECT coalesce(max(id), 0) FROM history), (SELECT count(*) FROM voids), ?)"
)
SELECT_HOST_OF = (
    "SELECT told FROM hosts WHERE id ="
    " (SELECT host FROM played_on WHERE id = (SELECT id FROM matches WHERE number = ?))"
)
SELECT_HOSTS = "SELECT id, after, events, voids, told FROM hosts ORDER BY id"
