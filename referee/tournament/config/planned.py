"""What plans and draws are made from: a run's config and its master key."""

from collections.abc import Iterable, Iterator, Sequence

from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.planned_match import Entry, Identity, PlannedMatch
from referee.tournament.plan.rounds import DrawInput, Entrant
from referee.tournament.results import Result, check_seats


class MatchIdentities:
    """The identities of the matches of a plan: with a run's config, which versions of bots play which game."""

    def __init__(self, config: RunConfig) -> None:
        self._bots = config.bots
        self.versions = {bot.name: bot.version for bot in config.bots}
        """The version of each bot, by its name."""
        self.entries: dict[str, Entry] = {bot.name: (bot.name, bot.version, bot.versions_before) for bot in config.bots}
        """The same with how many versions it had before."""
        self._seats = {variant.name: variant.seats for variant in config.variants}
        self.games = {variant.name: variant.game for variant in config.variants}
        """The hash of each variant's game, by the variant's name."""

    def check(self, result: Result) -> None:
        """Raise ValueError where a result is not of a game and of bots of the run."""
        check_seats(result)
        if len(result.bots) != self._seats.get(result.variant):
            raise ValueError(f"{len(result.bots)} seats of `{result.variant}`, which the run does not have")
        if strangers := [bot for bot in result.bots if bot not in self.versions]:
            raise ValueError(f"the bot `{strangers[0]}` is not in the run")

    def identity(self, planned: PlannedMatch) -> Identity:
        """Which match it is, apart from its number."""
        bots = [self._bots[bot] for bot in planned.lineup]
        return Identity(
            variant=planned.variant,
            game=self.games[planned.variant],
            bots=tuple(bot.name for bot in bots),
            versions=tuple(bot.version for bot in bots),
            deal=planned.deal,
            rotation=planned.rotation,
            versions_before=planned.versions_before,
        )


def draw_input(config: RunConfig, key: bytes) -> DrawInput:
    """All on which the rounds of a run depend besides what was played."""
    return DrawInput(
        master_key=key,
        bots=[Entrant(name=bot.name, owner=bot.owner) for bot in config.bots],
        variants=_planned(config),
        stages=config.stages,
        stop=config.stop,
        apart=config.same_owner == "apart",
    )


def whole_deals_of_all(configs: Iterable[RunConfig], key: bytes) -> Iterator[WholeDeals]:
    """The whole deals for each of the configs that a run with this master key has had, in their order.

    Samples of line-ups keep those of the config before. Several stages have no whole deals.
    """
    whole: WholeDeals | None = None
    for config in configs:
        first, is_alone = config.stages[0], len(config.stages) == 1
        whole = WholeDeals(
            master_key=key,
            bots=[bot.name for bot in config.bots],
            variants=_planned(config),
            deals=first.deals if is_alone else 0,
            versions_before=[bot.versions_before for bot in config.bots],
            lineups=first.lineups if is_alone else None,
            owners={bot.name: bot.owner for bot in config.bots} if config.same_owner else None,
            challengers=first.challengers,
            before=whole,
        )
        yield whole


def whole_deals_of(configs: Sequence[RunConfig], key: bytes) -> WholeDeals:
    """The whole deals of the last of these configs, all of which a run with this master key has had, in order.

    Those of the configs before it are made only where the last one has a sample of line-ups.
    """
    *_, last = whole_deals_of_all(configs if configs[-1].stages[0].lineups is not None else configs[-1:], key)
    return last


def _planned(config: RunConfig) -> list[PlannedVariant]:
    return [
        PlannedVariant(variant=variant.name, seats=variant.seats, rotations=config.rotations)
        for variant in config.variants
    ]
