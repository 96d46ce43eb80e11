"""What strangers' bots could do on this host that golfref cannot prevent here but elsewhere does, and the remedy.

What it can prevent nowhere stands in tournaments/ISOLATION.md. This module judges what machine.py has found; it looks
at nothing itself.
"""

from collections.abc import Collection, Iterator

from msgspec import Struct

from referee.play.isolation.users import NoUsers
from referee.play.spec import BotLimits
from referee.trials.machine import Machine

SEATS = 4
"""For how many bots of each match the host should have enough."""


class Gap(Struct, frozen=True, kw_only=True):
    """Something that a bot under `bwrap` could do on this host."""

    attack: str
    """What it could do, as a sentence."""
    remedy: str
    """What the organiser can do about it, as a sentence."""


class Groups(Struct, frozen=True, kw_only=True):
    """What control groups do for each bot."""

    version: int | None
    """1 or 2; None where this process cannot make any."""
    abilities: tuple[str, ...]
    """What they can do: bound `memory` and `processes`, `freeze`, `kill`, count `cpu` time, `share` it out evenly."""
    problem: str
    """Why there are no groups, or why they cannot do all; empty if they can."""
    remedy: str


def find_gaps(machine: Machine, groups: Groups, no_users: NoUsers | None, *, jobs: int) -> list[Gap]:
    """The gaps of this host, the most important first; `no_users` is why bots have no user ids of their own."""
    return [
        *_of_users(no_users),
        *_of_memory(machine, groups),
        *_of_cores(machine, groups.abilities),
        *_of_host(machine, jobs),
    ]


def _of_users(no_users: NoUsers | None) -> Iterator[Gap]:
    if no_users is not None:
        yield Gap(
            attack="Bots run as your own user, so one of them could use up what the kernel allows a user (watches of "
            "epoll, pages of pipes, descriptors under way) for all others and for the referee; golfref plays no bots "
            f"of several owners here: {no_users.reason}.",
            remedy=f"To give each bot a user id of its own: {no_users.remedy}.",
        )


def _of_memory(machine: Machine, groups: Groups) -> Iterator[Gap]:
    bounds = "memory" in groups.abilities
    if not bounds:
        yield Gap(
            attack="Nothing bounds the kernel's own memory for a bot (sockets, many tiny files), and of other memory a "
            f"bot as a whole may take too much between two looks, ten times a second: {groups.problem}.",
            remedy=f"To get control groups: {groups.remedy}." if groups.remedy else "Play where there are some.",
        )
    if machine.swap_mb:
        hidden = "" if bounds else " What is swapped out counts for no bot."
        yield Gap(
            attack=f"A bot that takes much memory makes others be swapped out, and so slow.{hidden}",
            remedy="For the day: swapoff -a.",
        )
    if machine.overcommit == 2:
        yield Gap(
            attack="Memory that a bot only reserves is taken from all others (vm.overcommit_memory = 2).",
            remedy="sysctl -w vm.overcommit_memory=0.",
        )
    if machine.kills_asker:
        yield Gap(
            attack="Where a bot takes all memory, the kernel ends who asks next, be it the referee "
            "(vm.oom_kill_allocating_task = 1).",
            remedy="sysctl -w vm.oom_kill_allocating_task=0.",
        )
    if machine.panics:
        yield Gap(
            attack="A bot that takes all memory brings down the whole host (vm.panic_on_oom is set).",
            remedy="sysctl -w vm.panic_on_oom=0.",
        )


def _of_cores(machine: Machine, abilities: Collection[str]) -> Iterator[Gap]:
    if machine.autogroup is False and "share" not in abilities:
        yield Gap(
            attack="A bot with many processes gets more of the cores than a bot with few.",
            remedy="Play where golfref can make control groups of version 2; where there are none: "
            "sysctl -w kernel.sched_autogroup_enabled=1.",
        )


def _of_host(machine: Machine, jobs: int) -> Iterator[Gap]:
    limits, bots = BotLimits(), jobs * SEATS
    if machine.has_core_handler:
        yield Gap(
            attack="When a bot crashes, the kernel hands what is left of it to a program that runs as root "
            "(kernel.core_pattern begins with `|` or `@`).",
            remedy="sysctl -w kernel.core_pattern=core.",
        )
    needed = bots * limits.processes * limits.files
    if not machine.root and machine.most_files is not None and machine.most_files < needed:
        yield Gap(
            attack=f"{bots} bots with {limits.processes} processes of {limits.files} files each could use up the open "
            f"files of the host (fs.file-max = {machine.most_files}).",
            remedy=f"sysctl -w fs.file-max={needed * 2}, or lower `processes` and `files` in [limits].",
        )
    if machine.most_processes is not None and machine.most_processes < 2 * bots * limits.processes:
        yield Gap(
            attack=f"{bots} bots with {limits.processes} processes each could use up the processes of the host or of "
            f"your user (kernel.pid_max, kernel.threads-max, ulimit -u: {machine.most_processes}).",
            remedy=f"Set those that are lower to {4 * bots * limits.processes}, or lower `processes` in [limits].",
        )
