"""The decisions of a run for programs that learn from them: what each seat knew, what it could do, and what it did.

The tables of `golfref export` hold no cards, and anybody may have them. This file holds the cards that each seat knew,
so it is made of runs that have ended. One match is in memory at a time, and the rows of one row group.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, BinaryIO, get_args

import msgspec
import numpy as np
from msgspec import Struct, structs

from protocol.actions import Action, Pass, Slap
from referee.competition.at_home import fewest_options
from referee.new_file import new_file
from referee.play.talk.retell import Retelling, answered
from referee.reports.export.columns import Scope, scope_of
from referee.reports.export.of_matches import no_replay
from referee.reports.export.writing import no_parquet
from referee.research.arguments import without_clock
from referee.research.codec import Codec
from referee.research.codes import Codes
from referee.research.moves import NOTHING_BEGUN, Begun
from referee.rules.questions import Ask
from referee.rules.record import BrokenRecord, Given, NoRecord, Reaction, Record, read_record, walk
from referee.rules.variants import from_record
from referee.tournament.results import beaten_shares
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

if TYPE_CHECKING:
    import pyarrow

NUMBERS_IN_GROUP = 2_000_000
"""How many codes the observations of a row group have, about, all of which are in memory when it is written."""

Numbers = np.ndarray[tuple[int], np.dtype[Any]]


class Step(Struct, frozen=True, kw_only=True):
    """A row: one step of a decision. Most decisions are one step (see `Env.number`)."""

    match: int | None
    """The match's number in the plan, from 0; null where it is out of the standings."""
    id: int
    """The id of the match's row in the store, as in the tables of `golfref export`."""
    game: str
    """The game's name in the run."""
    place: int
    """The number of the decision in its match, from 1, in the order in which they were played."""
    step: int
    """The number of the step in its decision, from 0."""
    round: int
    """The number of the round, from 1."""
    turn: int
    """The number of the turn in its round, from 1; 0 before the first one."""
    seats: int
    """How many seats the table has."""
    seat: int
    """Who decided, from 0."""
    bot: str
    """The bot's name."""
    version: str
    """The hash of the bot's command, environment and files."""
    decision: str
    """What was to be decided, as the protocol calls it."""
    lines: str | None
    """What the seat was sent for it: the `request`, and before its first one `match`. Null where nothing was sent."""
    codes: Numbers
    """What the seat knew, as `Env.codes` gives it: 32-bit integers. `Codec.one_hot` makes tensors of them."""
    mask: Numbers
    """By number, which moves were legal, as `Env.mask` gives it."""
    move: int | None
    """The number of the move that was made; null where it took a card without a place."""
    action: str
    """The whole action that was played, as JSON."""
    asked: bool
    """Whether the bot was asked. If not, the answer had come together with the one before, or the rule book chose."""
    fault: str | None
    """The kind of fault, where the answer was one: the action is then the rule book's and not the bot's."""
    time_us: int | None
    """The time of the answer in microseconds, as it was charged; of a slap, as it counted. Null where not asked."""
    round_score: int
    """What the seat scored in this round."""
    total: int
    """What it scored in the whole match."""
    rank: int
    """Its rank in the match, from 1."""
    match_points: float
    """The share of its opponents that it beat in the match, from 0 to 1; a tie counts half."""


def decisions(run: str | Path, out: str | Path, *, game: str | None = None, replaces: bool = False) -> int:
    """Write the decisions of a run as a Parquet file, and return how many rows it has.

    `game` names one of its games; without it all are written.

    Raises StoreError and NoRecord for what is no store of a run or lacks the game, NotWritten where `out`
    cannot be written or is there (and not to be replaced), and ModuleNotFoundError without pyarrow.
    """
    if (problem := no_parquet()) is not None:
        raise ModuleNotFoundError(problem)
    with closing(Store.open(Path(run))) as store, new_file(Path(out), replaces=replaces) as file:
        return write(store, file, game=game)


def write(store: Store, file: BinaryIO, *, game: str | None = None) -> int:
    """Write the decisions of this store; see `decisions`."""
    names = sorted({row.identity.variant for row in store.matches()})
    if game is not None and game not in names:
        raise NoRecord(f"{store.path} has no matches of {game!r}; it has those of {', '.join(names) or 'no game'}")
    return _write(_steps(store, scope_of(store), game), file)


class Shape(Struct, frozen=True, kw_only=True):
    """What the file says of a game in its metadata, under `golfref`: `Env(preset, seats, **options)` is this game."""

    preset: str
    options: dict[str, Any]
    """The fewest that make it. Where reaction times ordered slaps, the lot does here, as in an `Env`."""
    seats: int
    codes: int
    """How many codes an observation has."""
    moves: int
    """How many numbers moves have."""


class _Game:
    """A game of the run at a table with so many seats: how its decisions become numbers."""

    def __init__(self, record: Record) -> None:
        variant, seats = from_record(record.preset, record.options), len(record.seats)
        self.codec = Codec.of(variant, seats)
        self.shape = Shape(
            preset=record.preset,
            options=fewest_options(without_clock(variant)),
            seats=seats,
            codes=self.codec.code_count,
            moves=self.codec.size,
        )

    def steps(self, row: CommittedMatch, record: Record) -> Iterator[Step]:
        """The rows of a match. Raises BrokenRecord, and ValueError for options that there cannot be."""
        result, retelling, sent, place = record.result, Retelling(record), dict[int, str](), 0
        points = beaten_shares(result.ranks)
        codes = Codes(self.codec.variant, self.codec.layout, range(len(record.seats)))
        for game, move in walk(record):
            for delivery, answer in retelling.before(game, move):
                if answer is not None:
                    sent[delivery.seat] = delivery.data.decode()
            for ask, given in answered(game.question, move):
                place += 1
                what, seat, is_asked = _action(given), ask.seat, ask.seat in sent
                codes.follow(game.events[codes.followed :])
                for step, (row_codes, mask, number) in enumerate(self._numbers(codes, ask, what)):
                    yield Step(
                        match=row.number,
                        id=row.id,
                        game=row.identity.variant,
                        place=place,
                        step=step,
                        round=game.table.round,
                        turn=game.turn_number,
                        seats=len(record.seats),
                        seat=seat,
                        bot=row.result.bots[seat],
                        version=row.identity.versions[seat],
                        decision=ask.decision,
                        lines=sent.get(seat),
                        codes=row_codes,
                        mask=mask,
                        move=number,
                        action=msgspec.json.encode(what).decode(),
                        asked=is_asked,
                        fault=None if given.fault is None else given.fault.kind,
                        time_us=_time_us(given) if is_asked else None,
                        round_score=result.rounds[game.table.round - 1].scores[seat],
                        total=result.totals[seat],
                        rank=result.ranks[seat],
                        match_points=points[seat],
                    )
                sent.pop(seat, None)

    def _numbers(self, codes: Codes, ask: Ask, action: Action) -> Iterator[tuple[Numbers, Numbers, int | None]]:
        """By step of this answer the codes, the mask and the number."""
        moves, begun = self.codec.moves, NOTHING_BEGUN
        asked = moves.within(ask, codes.layouts, codes.beyond) if self.codec.layout.grows else ask
        codes.turn_of(ask)
        while True:
            codes.decide(ask.seat, ask, begun)
            seen, mask = codes.rows[ask.seat].copy(), moves.legal(asked, begun).mask
            try:
                number = moves.towards(asked, begun, action)
            except LookupError:
                yield seen, mask, None
                return
            yield seen, mask, number
            after = moves.after(asked, begun, number)
            if not isinstance(after, Begun):
                return
            begun = after


def _steps(store: Store, scope: Scope, name: str | None) -> Iterator[tuple[Step, Shape]]:
    """The rows of all matches that are told, in the order in which they were committed. Raises StoreError."""
    games: dict[bytes, _Game] = {}
    for row, data in store.with_records(scope.until):
        if not scope.has(row) or name not in (None, row.identity.variant):
            continue
        try:
            record = read_record(data)
            key = msgspec.json.encode((record.preset, record.options, len(record.seats)), order="deterministic")
            if key not in games:
                games[key] = _Game(record)
            for step in games[key].steps(row, record):
                yield step, games[key].shape
        except NoRecord as error:
            raise StoreError(f"{store.path}: the record of match #{row.id} is damaged ({error})") from None
        except (BrokenRecord, ValueError) as error:  # options that there cannot be, too
            raise no_replay(store, row.id, error) from None


def _action(given: Given | Reaction) -> Action:
    if isinstance(given, Given):
        return given.action
    return Pass() if given.target is None else Slap(target=given.target)


def _time_us(given: Given | Reaction) -> int | None:
    """The time that the answer took."""
    if isinstance(given, Given):
        return given.time_us
    return None if given.corrected_us is None else round(given.corrected_us)


def _write(steps: Iterator[tuple[Step, Shape]], file: BinaryIO) -> int:
    import pyarrow  # noqa: PLC0415 - it may not be there
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    count, shapes, types = 0, dict[str, list[Shape]](), schema()
    with ParquetWriter(file, types, compression="zstd") as writer:
        for some in _groups(steps):
            for step, shape in some:
                known = shapes.setdefault(step.game, [])
                if shape not in known:
                    known.append(shape)
            columns = [_column([getattr(step, field.name) for step, _ in some], field.type) for field in types]
            writer.write_batch(pyarrow.record_batch(columns, schema=types))
            count += len(some)
        writer.add_key_value_metadata({"golfref": msgspec.json.encode(shapes).decode()})
    return count


def _groups(steps: Iterator[tuple[Step, Shape]]) -> Iterator[list[tuple[Step, Shape]]]:
    """The rows of each row group."""
    for first in steps:
        yield [first, *islice(steps, NUMBERS_IN_GROUP // first[0].codes.size)]


def schema() -> "pyarrow.Schema":
    """The columns of the file: the fields of `Step`."""
    import pyarrow  # noqa: PLC0415

    of_kind = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_(), str: pyarrow.string()}
    of_name = {"codes": pyarrow.list_(pyarrow.int32()), "mask": pyarrow.list_(pyarrow.bool_())}
    columns = []
    for field in structs.fields(Step):
        kinds = get_args(field.type) or (field.type,)
        type_ = of_name.get(field.name) or of_kind[kinds[0]]
        columns.append(pyarrow.field(field.name, type_, nullable=NoneType in kinds))
    return pyarrow.schema(columns)


def _column(values: Sequence[Any], type_: "pyarrow.DataType") -> "pyarrow.Array":
    import pyarrow  # noqa: PLC0415

    if not pyarrow.types.is_list(type_):
        return pyarrow.array(values, type_)
    offsets = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pyarrow.ListArray.from_arrays(offsets, pyarrow.array(np.concatenate(values)), type=type_)
