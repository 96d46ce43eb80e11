"""The matches of a plan as the config has them, ready to be played. This must not know in which order they are."""

from referee.play.match import MatchSetup
from referee.rules.keyed_streams import bot_seed
from referee.tournament.config.config import Config
from referee.tournament.config.variants import games
from referee.tournament.plan.planned_match import PlannedMatch, for_blocks


def setup_of(config: Config, planned_match: PlannedMatch) -> MatchSetup:
    """A match of the plan, ready to be played."""
    entry = next(entry for entry in config.variants if entry.name == planned_match.variant)
    return MatchSetup(
        variant=for_blocks(entry.variant),
        name=entry.name,
        bots=tuple(config.bots[bot] for bot in planned_match.lineup),
        seeds=tuple(bot_seed(planned_match.deal_key, planned_match.rotation, seat) for seat in range(entry.seats)),
        deal_key=planned_match.deal_key,
        block=planned_match.block if config.rotations == "same" else planned_match.number,
        clocks=config.clocks,
        faults=config.faults,
        confinement=config.confinement,
        games=games(config.variants),
    )
