"""The texts for people that lie in a bundle."""

from protocol.text import printable
from referee.competition.publishing.bundle import BundleInfo


def readme(info: BundleInfo) -> str:
    """What the bundle is, and how it is checked with and without golfref."""
    run = printable(info.run, 200)
    extent, made = info.extent, info.made
    state = (
        "The run is complete. bundle.json tells its master key, from which all deals follow."
        if extent.is_complete
        else "The run goes on, so that its master key is secret still. A later bundle has more, and all that is here."
    )
    waits = f"Of {_matches(extent.held_back)} it has only the result, since the same cards are still to be dealt again."
    held = f"\n{waits}\n" if extent.held_back else ""
    matches = f"{_matches(extent.matches)} of {extent.planned} in the plan"
    site = "  site/                pages to look at: open site/index.html\n" if made.has_site else ""
    return f"""\
{run}: {matches}, published at {made.when}
by golfref {printable(made.golfref, 100)} (protocol {printable(made.protocol, 100)}). Digest {info.digest}

{state}
{held}
What is here

  standings.txt        the tables
  standings.json       the same for programs, with the result of every match
{site}  tables/*.csv         matches, seats, rounds, decisions, slaps, pairs and standings
  rows.jsonl.gz        every row of the run's store
  records.jsonl.gz     the record of every match, byte for byte, in the order in which they ended
  hashes.txt           the SHA-256 of every row: the digest is the SHA-256 of this file
  bundle.json          what this is
  SHA256SUMS           the SHA-256 of every file

How to check it with golfref

  golfref verify .                      all of it: sums, signature, deals, answers, scores, tables
  golfref verify . --signer FILE.pub    also that it was signed with this key; get it from the organiser, not from here
  golfref verify . --digest FILE        also that nothing was changed since an earlier hashes.txt

How to check it without golfref

  sha256sum -c SHA256SUMS               no file was changed since the sums were made
  sha256sum hashes.txt                  gives the digest
  zcat rows.jsonl.gz | while IFS= read -r row; do printf %s "$row" | sha256sum; done
                                        gives the hashes of hashes.txt, line by line
  ssh-keygen -Y check-novalidate -n golfref -s SHA256SUMS.sig < SHA256SUMS
  minisign -Vm SHA256SUMS -P KEY        who signed the sums, where there is a signature: SHA256SUMS.sig is of ssh-keygen
                                        and SHA256SUMS.minisig of minisign. Compare the key with one that the organiser
                                        has published elsewhere: signer.pub came with the rest

What it shows of bots

The records hold all that passed between the referee and each bot: the commands that started the bots, every line that
they were sent and wrote, their standard error as far as it is kept, and their times. The rows hold the config: names,
owners, commands, folders, and the variables that the config sets for bots. No program of a bot is here.
"""


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count} matches"
