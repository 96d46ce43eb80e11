"""The files of a bundle, and README.txt, which explains them to whoever finds the bundle."""

from protocol.text import printable
from referee.tournament.summary import RunSummary

README = "README.txt"
STORE = "run.golfref"
"""The copy of the store. Only the bundle of a complete run has it, because a store holds the master key."""
STANDINGS = "standings.txt"
RESULTS = "standings.json"
HASHES = "hashes.txt"
SITE = "site"
SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.sig"

ALWAYS_THERE = (README, STANDINGS, RESULTS, HASHES)
"""The files that every bundle has beside its sums."""

_STORE_LINE = f"""\
  {STORE}      the store of the run with all records. Each command of golfref that reads a run reads it:
                   golfref standings {STORE} --bot NAME       the matches of one bot
                   golfref transcript {STORE}:17 --bot NAME   everything that a bot was sent and wrote in match 17
                   golfref export {STORE} --bot NAME -o FILE    all matches of one bot, for its author
"""

_COMPLETE = f"""\
The run is complete. {STORE} holds its master key, from which all deals follow.

The records show everything that passed between the referee and each bot: the commands that started the bots, every
line that they were sent and wrote, their standard error as far as it is kept, and their times. The config shows names,
owners, commands, folders, and the variables that it sets for bots. No program of a bot is here.
"""

_IN_PROGRESS = f"""\
The run goes on, so its store is still secret: it holds the key of the deals. The bundle of the complete run will have
the store. Keep this folder: `golfref verify BUNDLE --digest {HASHES}` shows then that nothing was changed since.
"""


def readme(summary: RunSummary, *, when: str, is_complete: bool, has_site: bool) -> str:
    """README.txt of a bundle that was made at this time."""
    run = printable(summary.name, 200)
    store = _STORE_LINE if is_complete else ""
    site = f"  {SITE}/            pages: open {SITE}/index.html\n" if has_site else ""
    return f"""\
{run}: {summary.matches} of {summary.planned} matches, published at {when}
Digest {summary.digest}

{_COMPLETE if is_complete else _IN_PROGRESS}
Files

  {STANDINGS}    the tables
  {RESULTS}   the same for programs, with the result of every match
{store}{site}\
  {HASHES}       id, kind and SHA-256 of every row of the store
  {SUMS}       the SHA-256 of every file
  {SIGNATURE}   the signature of the sums, if the organiser signed them

How to check it with golfref

  golfref verify .                      sums, signature, deals, answers, scores and standings
  golfref verify . --signer FILE.pub    also that it was signed with this key: get it from the organiser, not from here
  golfref verify . --digest FILE        also that nothing was changed since an earlier hashes.txt

How to check it without golfref

  sha256sum -c {SUMS}
  ssh-keygen -Y check-novalidate -n golfref -s {SIGNATURE} < {SUMS}
  hash=$(printf %064d 0); while read -r id kind body; do hash=$(printf %s "$hash $kind $body" | sha256sum | cut -c -64)
  done < {HASHES}; echo $hash         # prints the digest
"""
