"""What the config says of formats: which keys each format has, what they must be, and what is wrong with them.

Knows bots and games by their names and seats only; it must not know how rounds are drawn.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from re import fullmatch
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.rules.options import Positive
from referee.toml.reader import KeyPath, Reader
from referee.tournament.formats.table import FORMATS, formats_with
from referee.tournament.plan.lineups import LineupRule, lineup_rule
from referee.tournament.plan.rounds import Format, StageRules, StopRules
from referee.tournament.standings import RankBy

MOST_HOURS = 24 * 366
"""No tournament is planned for longer than a year."""

DEALS_A_LIMIT = 10
"""By default a tie of a knockout has at most so many times the deals after which it can first be settled."""


class StageKeys(Struct, frozen=True, kw_only=True):
    """What [tournament] says of its format where there is one stage, and what each of [[stages]] says."""

    format: Format | None = None
    """How golfref chooses who meets whom. Default: `round-robin`."""
    deals: Positive | None = None
    """Deals of each line-up; in a Swiss and a ladder in each round, in a knockout before a tie can be settled. The
    default depends on the format."""
    lineups: Positive | None = None
    rounds: Positive | None = None
    advance: Positive | None = None
    limit: Positive | None = None

    @property
    def played(self) -> Format:
        """The format as it is played."""
        return self.format or "round-robin"

    def rules(self) -> StageRules:
        """The stage as it is played."""
        row = FORMATS[self.played]
        deals = self.deals or row.usual_deals
        return StageRules(
            format=self.played,
            deals=deals,
            lineups=self.lineups,
            rounds=self.rounds,
            advance=self.advance or (1 if "advance" in row.keys else None),
            limit=self.limit or (deals * DEALS_A_LIMIT if "limit" in row.keys else None),
        )


class FormatKeys(StageKeys, frozen=True, kw_only=True):
    """The keys of [tournament] that are about who meets whom. See StageRules and RunRules."""

    challengers: tuple[str, ...] = ()
    same_owner: Literal["apart"] | None = None
    hours: Annotated[float, Meta(gt=0, le=MOST_HOURS, description="hours")] | None = None
    anchor: str | None = None


def stages_of(keys: FormatKeys, stages: Sequence[StageKeys] | None) -> tuple[StageRules, ...]:
    """What [[stages]] says, or else the one stage that [tournament] says."""
    if stages is None:
        return (replace(keys.rules(), challengers=keys.challengers),)
    return tuple(stage.rules() for stage in stages)


class Entered(Struct, frozen=True, kw_only=True):
    """What is entered, as far as formats care."""

    bots: Sequence[str]
    """By name."""
    owners: Mapping[str, str]
    """The owner of each bot; empty where the bot is nobody's."""
    tables: Mapping[str, int]
    """By variant, how many bots sit at a table."""
    rank_by: RankBy

    @property
    def seats(self) -> int:
        """How many bots the largest table has."""
        return max(self.tables.values(), default=2)


def check_formats(
    keys: FormatKeys, stages: Sequence[StageKeys] | None, stop: StopRules | None, entered: Entered, reader: Reader
) -> None:
    """Note all that is wrong with the format, the stages and what goes with them."""
    _check_names(keys, entered, reader)
    if keys.same_owner is not None and not reader.wrong(("tournament", "challengers")):
        _check_owners(keys, entered, reader)
    if stages is not None and keys.hours is not None:
        text = "does not go with [[stages]]: the last stage would be cut off; say in each how many deals it has"
        reader.add(("tournament", "hours"), text, at_key=True)
    if stages is not None:
        _check_one_place(keys, stop, reader)
        if entered.rank_by == "strokes":
            reader.add(("tournament", "rank_by"), "stages order bots by match points and ratings; leave it out")
        _check_stages(stages, entered, reader)
        return
    if not reader.wrong(("tournament", "format")):
        _check_stage(keys, ("tournament",), entered, reader, bots=len(entered.bots))
        if "challengers" in FORMATS[keys.played].keys:
            _check_challengers(keys, entered, reader)
    if stop is not None:
        _check_use("stop", ("stop",), keys.played, reader)
        if entered.rank_by == "strokes":
            text = "[stop] looks at match points; leave it out, or rank by match points"
            reader.add(("tournament", "rank_by"), text)
        _check_stop(stop, len(keys.challengers) or len(entered.bots), reader)


def _check_names(keys: FormatKeys, entered: Entered, reader: Reader) -> None:
    """Bots that [tournament] names must be there."""
    named: list[tuple[KeyPath, str]] = [
        (("tournament", "challengers", index), name) for index, name in enumerate(keys.challengers)
    ]
    if keys.anchor is not None:
        named.append((("tournament", "anchor"), keys.anchor))
    for path, name in named:
        if name not in entered.bots and entered.bots:
            near = get_close_matches(name, entered.bots, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"the bots are {_several(entered.bots)}"
            reader.add(path, f"there is no bot `{name}`; {hint}")
    for index, name in enumerate(keys.challengers):
        if name in keys.challengers[:index]:
            first: KeyPath = ("tournament", "challengers", keys.challengers.index(name))
            reader.add(("tournament", "challengers", index), f"`{name}` stands here twice", first=first)


def _check_owners(keys: FormatKeys, entered: Entered, reader: Reader) -> None:
    """Every bot must have somebody to meet in every variant, where bots of one owner do not meet."""
    bots = sorted(set(entered.bots))
    owners = Counter(owner for bot in bots if (owner := entered.owners[bot]))
    alone = sum(not entered.owners[bot] for bot in bots)
    for variant, seats in entered.tables.items():
        rule = lineup_rule(bots, seats, owners=entered.owners, challengers=keys.challengers)
        lonely = [bot for number, bot in enumerate(bots) if not rule.count_with((number,))]
        if lonely and seats <= len(bots):
            some = [
                f"{count} bot{'s' * (count != 1)} of {printable(owner, 40)}" for owner, count in owners.most_common()
            ]
            some += [f"{alone} of nobody, each for itself"] * bool(alone)
            who = "no bots" if len(lonely) == len(bots) else f"not every bot (not {_several(lonely)})"
            text = (
                f"there are {len(owners) + alone} owners ({_several(some)}), so {who} can sit at a table of {seats} in "
                f"`{variant}` with no two of one owner; choose fewer `seats`, enter bots of other owners, or leave "
                "`same_owner` out"
            )
            reader.add(("tournament", "same_owner"), text)
            return
    opponents = [_opponents_of(name, keys, entered) for name in keys.challengers if name in entered.bots]
    if any(some != opponents[0] for some in opponents):
        text = "some challengers would not meet bots of their owner that others meet, and could not be compared; "
        reader.add(("tournament", "same_owner"), text + "leave one of the two out, or have one challenger")


def _opponents_of(challenger: str, keys: FormatKeys, entered: Entered) -> set[str]:
    """Whom a challenger may meet where bots of one owner do not meet."""
    own = entered.owners[challenger]
    return {bot for bot in entered.bots if bot not in keys.challengers and (not own or entered.owners[bot] != own)}


def _check_one_place(keys: FormatKeys, stop: StopRules | None, reader: Reader) -> None:
    """With [[stages]], nothing else says what a stage is."""
    why_not = {
        **dict.fromkeys(StageKeys.__struct_fields__, "each of them says that itself"),
        "challengers": "a gauntlet cannot be a stage",
        "same_owner": "all that go on may be of one owner",
    }
    for key, what in why_not.items():
        if getattr(keys, key) not in (None, ()):
            reader.add(("tournament", key), f"does not go with [[stages]]: {what}", at_key=True)
    if stop is not None:
        why = "a stage is over when it has been played as it says; a knockout stops its ties by itself"
        reader.add(("stop",), f"does not go with [[stages]]: {why}", at_key=True)


def _check_stages(stages: Sequence[StageKeys], entered: Entered, reader: Reader) -> None:
    """Each stage must be playable by the bots that the one before sends on."""
    bots = len(entered.bots)
    if len(stages) == 1:
        reader.add(("stages", 0), "expected two stages or more; with one, write its keys into [tournament]")
    for index, stage in enumerate(stages):
        path: KeyPath = ("stages", index)
        is_last = index == len(stages) - 1
        row = FORMATS[stage.played]
        if row.no_stage:
            fitting = _or([name for name, one in FORMATS.items() if not one.no_stage])
            reader.add((*path, "format"), f"a {stage.format} {row.no_stage}; as a stage expected {fitting}")
            return
        if row.ranked_by == "places" and not is_last:
            text = f"only the last stage can be a {stage.format}, since it orders only its winners"
            reader.add((*path, "format"), text)
            return
        _check_stage(stage, path, entered, reader, bots=bots, sends_on=not is_last)
        if is_last:
            return
        if stage.advance is None:
            text = "expected `advance`: how many bots go on into the next stage"
            reader.missing((*path, "advance"), text)
            return
        if stage.advance >= bots:
            text = f"expected fewer than the {bots} bots of this stage, got {stage.advance}"
            reader.add((*path, "advance"), text)
            return
        following = stages[index + 1].played
        if stage.advance < (least := entered.seats + FORMATS[following].spare_bots):
            text = f"{stage.advance} bots go on, but the next stage is a {following}, which needs {least} or more"
            reader.add((*path, "advance"), text)
            return
        bots = stage.advance


def _check_stage(  # noqa: PLR0913 - what it checks, where that stands, and what goes with it
    stage: StageKeys, path: KeyPath, entered: Entered, reader: Reader, *, bots: int, sends_on: bool = False
) -> None:
    """The keys must be those of the format, and the bots enough."""
    format_, row = stage.played, FORMATS[stage.played]
    for key in stage.__struct_fields__:
        if getattr(stage, key) and not (key == "advance" and sends_on):
            _check_use(key, (*path, key), format_, reader)
    if entered.rank_by == "strokes" and isinstance(stage, FormatKeys) and row.ranked_by != "means":
        text = f"a {format_} orders bots by whom they beat, not by strokes; leave it out, or choose a round-robin"
        reader.add(("tournament", "rank_by"), text)
    elif entered.rank_by == "strokes" and stage.lineups is not None:
        text = "in a sample of line-ups bots meet different opponents, so that ratings order them, not strokes"
        reader.add(("tournament", "rank_by"), f"{text}; leave out `rank_by` or `lineups`")
    if entered.seats <= bots < (least := entered.seats + row.spare_bots):
        text = (
            f"a {format_} with tables of {entered.seats} needs {least} bots or more, but there are {bots}; "
            "with so few a round-robin lets everybody meet"
        )
        reader.add((*path, "format"), text)
    if "limit" in row.keys:
        _check_knockout(stage, path, entered, reader)
    if row.has_whole_deals and bots >= entered.seats:
        _check_lineups(stage, path, entered, reader, bots=bots)
    _check_rounds(stage, path, entered, reader, bots=bots)


def _check_lineups(stage: StageKeys, path: KeyPath, entered: Entered, reader: Reader, *, bots: int) -> None:
    """No variant has more line-ups than can be listed."""
    challengers = len(set(stage.challengers)) if isinstance(stage, FormatKeys) else 0
    for variant, seats in entered.tables.items():
        if why := LineupRule(bots, seats, challengers=range(challengers)).too_many(stage.lineups):
            reader.missing((*path, "lineups"), f"in `{variant}` {why}")


def _check_rounds(stage: StageKeys, path: KeyPath, entered: Entered, reader: Reader, *, bots: int) -> None:
    """A Swiss has no more rounds than leave bots to meet that have not met."""
    most_rounds = FORMATS[stage.played].most_rounds
    if most_rounds is None or stage.rounds is None:
        return
    if stage.rounds > (most := most_rounds(bots, set(entered.tables.values()))) >= entered.seats:
        text = (
            f"each of the {bots} bots has {bots - 1} opponents, so expected {most} rounds or less, got {stage.rounds}; "
            "for more matches set more `deals`, or play a round-robin"
        )
        reader.add((*path, "rounds"), text)


def _check_use(key: str, path: KeyPath, format_: Format, reader: Reader) -> None:
    """A key that a format has no use for would be passed over in silence."""
    having = formats_with(key)
    if having and format_ not in having:
        where = "[stop]" if key == "stop" else f"`{key}`"
        why = ": cut off in the middle, it would order nobody" if key == "hours" else ""
        reader.add(
            path, f"a {format_} has no use for {where}{why}; formats that have it: {', '.join(having)}", at_key=True
        )


def _check_knockout(stage: StageKeys, path: KeyPath, entered: Entered, reader: Reader) -> None:
    """A tie is the same table in every variant, and the winners of some tables fill one of the next round."""
    if len(set(entered.tables.values())) > 1:
        some = ", ".join(f"`{name}` has {seats}" for name, seats in entered.tables.items())
        text = f"a tie of a knockout is played in every variant, so all need as many seats, but {some}"
        reader.add((*path, "format"), text)
        return
    if stage.advance is not None and (stage.advance >= entered.seats or entered.seats % stage.advance):
        fitting = _or([str(some) for some in range(1, entered.seats) if entered.seats % some == 0])
        text = f"the winners of some tables of {entered.seats} must fill the next, so expected {fitting}"
        reader.add((*path, "advance"), f"{text}, got {stage.advance}")
    rules = stage.rules()
    if stage.limit is not None and stage.limit < rules.deals:
        text = f"a tie plays {rules.deals} deals before it can be settled, so expected {rules.deals} or more"
        reader.add((*path, "limit"), f"{text}, got {stage.limit}")


def _check_challengers(keys: FormatKeys, entered: Entered, reader: Reader) -> None:
    """A gauntlet has challengers, and enough others for each of its tables."""
    path: KeyPath = ("tournament", "challengers")
    if not keys.challengers:
        if not reader.wrong(path):
            reader.add(("tournament", "format"), 'a gauntlet needs `challengers = ["NAME"]`: the bots that it is about')
        return
    others = len(set(entered.bots) - set(keys.challengers))
    if not reader.wrong(path) and others < entered.seats - 1 < len(entered.bots):
        text = (
            f"each table has one challenger and {entered.seats - 1} of the other bots, of which there are {others}; "
            "add bots, or name fewer challengers"
        )
        reader.add(path, text)


def _check_stop(stop: StopRules, ranked: int, reader: Reader) -> None:
    """`ranked` is how many bots are put in an order."""
    if stop.when is None and stop.precision is None and not reader.wrong(("stop",)):
        reader.add(("stop",), "expected `when` or `precision`, which say what is to be known")
    if stop.when is not None and stop.when != "all":
        numbers = fullmatch(r"top ([1-9][0-9]{0,8})", stop.when)
        if numbers is None:
            reader.add(("stop", "when"), f'expected "all" or "top N", such as "top 3", got "{stop.when[:40]}"')
        elif int(numbers[1]) >= ranked > 1:
            text = f'expected "all", or "top N" with N from 1 to {ranked - 1}, since {ranked} bots are ranked'
            reader.add(("stop", "when"), f'{text}, got "{stop.when}"')
    if stop.when is not None and ranked == 1:
        text = "one bot is ranked, which leaves no order to find; use `precision`, or name more challengers"
        reader.add(("stop", "when"), text)
    if stop.when is None and stop.difference and stop.precision is not None:
        reader.add(("stop", "difference"), "goes with `when` only", at_key=True)


def _several(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + ", ..." * (len(names) > 8)


def _or(words: Sequence[str]) -> str:
    """The words as a choice: `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
