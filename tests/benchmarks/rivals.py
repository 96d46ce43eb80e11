"""Other referees with an engine that moves at once: python-chess, and the tournament managers that are given."""

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import Figure, Skipped, measured

PLIES = 96
"""Moves of a game, about as many as games of chess have: see bots/uci.c."""


def python_chess(engine: str, *, games: int, count: int) -> Figure:
    """python-chess's asyncio loop, so many games side by side, each of two engines and `count` moves in all.

    The least that a referee can ask of it: the best move at depth 1, made on a board that starts anew every four moves,
    so that no position is long. No clocks, no records, no new games.
    """
    try:
        import chess
        from chess.engine import Limit, popen_uci
    except ImportError:
        raise Skipped("python-chess is not installed (pip install '.[bench]')") from None

    async def one() -> None:
        players = [(await popen_uci(engine))[1] for _ in range(2)]
        board, limit = chess.Board(), Limit(depth=1)
        for ply in range(count // games):
            if ply % 4 == 0:
                board.reset()
            played = await players[ply % 2].play(board, limit)
            assert played.move is not None
            board.push(played.move)
        for player in players:
            await player.quit()

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(games)))

    def work() -> int:
        asyncio.run(all_of_them())
        return count // games * games

    return measured(work)


def _fastchess(path: str, engines: Sequence[str], games: int, at_once: int) -> list[str]:
    rounds = ["-rounds", str(games // 2), "-games", "2", "-concurrency", str(at_once), "-force-concurrency"]
    return [path, *_engines(engines), "-each", "tc=600+1", "proto=uci", *rounds]


def _c_chess_cli(path: str, engines: Sequence[str], games: int, at_once: int) -> list[str]:
    return [path, *_engines(engines), "-each", "tc=600+1", "-games", str(games), "-concurrency", str(at_once)]


def _cutechess(path: str, engines: Sequence[str], games: int, at_once: int) -> list[str]:
    rounds = ["-games", str(games), "-concurrency", str(at_once)]
    return [path, *_engines(engines), "-each", "tc=600+1", "proto=uci", *rounds]


def _engines(engines: Sequence[str]) -> list[str]:
    return [word for place, cmd in enumerate(engines) for word in ("-engine", f"cmd={cmd}", f"name=instant{place}")]


MANAGERS = {"fastchess": _fastchess, "c-chess-cli": _c_chess_cli, "cutechess": _cutechess}
"""By name: the command line for so many games, some at a time."""


def manager(name: str, path: str, engine: str, *, games: int, at_once: int) -> Figure:
    """A tournament manager, as a whole; the engines count the moves. Raises Skipped where it does not play."""
    with tempfile.TemporaryDirectory() as folder:
        counts, wrapped = Path(folder, "counts"), Path(folder, "engine")
        wrapped.write_text(f'#!/bin/sh\nexec "{engine}" --info "{counts}"\n')
        wrapped.chmod(0o700)
        command = MANAGERS[name](os.path.abspath(path), [str(wrapped)] * 2, games, at_once)
        said = ""

        def work() -> int:
            nonlocal said
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            said = done.stdout.decode("utf-8", "replace")
            return sum(map(int, counts.read_text().split())) if counts.exists() else 0

        figure = measured(work)
        if figure.decisions < games * PLIES:
            raise Skipped(
                f"{' '.join(command)} made {figure.decisions} moves, not {games * PLIES}; it said: {said[-500:]}"
            )
        return figure
