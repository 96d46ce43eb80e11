"""Orders as they are played on a host: with its own bots."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from referee.cluster.hosts import Demands, Ready
from referee.play.spec import BotSpec
from referee.tournament.orders import MatchOrder


class UnknownBot(Exception):
    """This host was not prepared for a bot. The text names it."""


class Here(Struct, frozen=True, kw_only=True):
    """What a host that is ready plays with."""

    bots: Mapping[str, tuple[BotSpec, BotSpec]]
    """By name, each bot as the desk has it, and as it starts here."""

    def order(self, order: MatchOrder) -> MatchOrder:
        """The order as it is played here. Raises UnknownBot."""
        return replace(order, setup=replace(order.setup, bots=tuple(map(self._bot, order.setup.bots))))

    def _bot(self, bot: BotSpec) -> BotSpec:
        told, here = self.bots.get(bot.name, (None, bot))
        if bot != told:
            raise UnknownBot(f"the host was not prepared for bot `{bot.name}`")
        return here


def here_of(demands: Demands, ready: Ready) -> Here:
    """What a host plays with that is ready for these demands."""
    bots = zip(demands.bots, ready.bots, strict=True)
    return Here(bots={told.name: (told.spec, bot) for told, bot in bots})
