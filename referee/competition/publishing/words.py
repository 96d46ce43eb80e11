"""The texts for people that lie in a bundle."""

import shlex
from collections.abc import Mapping

from protocol.text import printable
from referee.competition.publishing.bundle import MATCHES, BundleInfo, PartInfo


def readme(info: BundleInfo) -> str:
    """What the bundle is, and how it is checked with and without golfref."""
    run = printable(info.run, 200)
    extent, made = info.extent, info.made
    state = (
        "The run is complete. bundle.json tells its master key, from which all deals follow."
        if extent.is_complete
        else "The run goes on, so that its master key is secret still. A later bundle has more, and all that is here."
    )
    matches = f"{_matches(extent.matches)} of {extent.planned} in the plan"
    site = "  site/                pages to look at: open site/index.html\n" if made.has_site else ""
    return f"""\
{run}: {matches}, published at {made.when}
by golfref {printable(made.golfref, 100)} (protocol {printable(made.protocol, 100)}). Digest {info.digest}

{state}

What is here

  standings.txt        the tables
  standings.json       the same for programs, with the result of every match
{site}  tables/*.csv         matches, seats, rounds, decisions, slaps, pairs and standings
  rows.jsonl.gz        every row of the run's store
  records.jsonl.gz     the record of every match, byte for byte, in the order in which they ended
  hashes.txt           id, kind and SHA-256 of every row
  bundle.json          what this is
  SHA256SUMS           the SHA-256 of every file

How to check it with golfref

  golfref verify .                      all of it: sums, signature, deals, answers, scores, tables
  golfref verify . --signer FILE.pub    also that it was signed with this key; get it from the organiser, not from here
  golfref verify . --digest FILE        also that nothing was changed since an earlier hashes.txt

How to check it without golfref

  sha256sum -c SHA256SUMS               no file was changed since the sums were made
  hash=$(printf %064d 0); while read -r id kind body; do hash=$(printf %s "$hash $kind $body" | sha256sum | cut -c -64)
  done < hashes.txt; echo $hash         gives the digest
  zcat rows.jsonl.gz | while IFS= read -r row; do printf %s "$row" | sha256sum; done
                                        gives the last column of hashes.txt, line by line
  ssh-keygen -Y check-novalidate -n golfref -s SHA256SUMS.sig < SHA256SUMS
  minisign -Vm SHA256SUMS -P KEY        who signed the sums, where there is a signature: SHA256SUMS.sig is of ssh-keygen
                                        and SHA256SUMS.minisig of minisign. Compare the key with one that the organiser
                                        has published elsewhere: signer.pub came with the rest

What it shows of bots

The records hold all that passed between the referee and each bot: the commands that started the bots, every line that
they were sent and wrote, their standard error as far as it is kept, and their times. The rows hold the config: names,
owners, commands, folders, and the variables that the config sets for bots. No program of a bot is here.
"""


def part_readme(part: PartInfo, matches: Mapping[str, int]) -> str:
    """What the part of an author is. `matches` says how many there are of each bot."""
    run, owner = printable(part.run, 200), printable(part.owner, 200)
    whose = f"the bots of {owner}" if owner else f"the bot {printable(next(iter(part.bots)), 200)}"
    bots = "".join(
        f"  {begin + '.*':<20} {printable(bot, 100)}: {_matches(matches[bot])}\n" for bot, begin in part.bots.items()
    )
    return f"""\
{run}: {whose}, as of {part.made.when}

This part is for the author alone. It holds what these bots were told and wrote, and of other bots no more than
everybody may know. The run as a whole is published beside it; its digest is {part.digest}

{bots}
  NAME.txt             its place, its worst matches, and where it was at fault
  NAME{MATCHES}
                       its matches, each as the bot itself knows it, with its standard error
  NAME.VERSION.build.log
                       what the build of a version said, where it was built here
  NAME.VERSION.check.txt
                       the letter about its check, where there was one

How to read it

{"".join(f"  {line}" + chr(10) for line in commands_for(f"NAME{MATCHES}", 17)[1:])}
How to check it

  golfref verify .     sums, signature, and every match as far as one seat of it shows; whole records are in the bundle
  sha256sum -c SHA256SUMS
"""


def commands_for(file: str, match: int) -> list[str]:
    """How an author reads the matches of a bot."""
    where = shlex.quote(f"{file}:{match}")
    return [
        "To read on:",
        f"golfref transcript {where}             all that it was sent and wrote",
        f"golfref replay {where}                 the match as it came to it",
        f"golfref rerun {where} -- COMMAND       the same lines sent to a build of the bot",
    ]


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count} matches"
