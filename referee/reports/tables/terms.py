"""What single bots are granted alone, a network or time limits of their own, as a column of the standings."""

from referee.reports.tables.rows import Figure
from referee.tournament.summary import EnteredBot, RunSummary

MEANING = (
    "what a bot alone was granted: the network, or other times, in seconds for an answer and for all answers of a match"
)
"""What the column says."""


def terms_figure(summary: RunSummary) -> Figure:
    """The column of the terms, as `network, 5 s, 600 s`. It is left out where no bot has terms of its own."""
    of_bot = {bot.name: own_terms(bot) for bot in summary.bots}
    return Figure(title="terms", cell=lambda row: of_bot.get(row.bot) or "-", optional=True)


def terms_line(summary: RunSummary) -> list[str]:
    """What the column means, where there is one."""
    return [f"terms: {MEANING}"] * any(map(own_terms, summary.bots))


def own_terms(bot: EnteredBot) -> str:
    """The terms of a bot, as `network, 5 s, 600 s`; empty where they are those of all."""
    clocks = bot.clocks
    times = [] if clocks is None else [f"{clocks.move_s:g} s", f"{clocks.bank_s:g} s"]
    return ", ".join([*["network"] * bot.network, *times])
