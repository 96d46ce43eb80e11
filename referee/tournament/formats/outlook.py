"""What a knockout or several stages will be, in words, before anything is played."""

from collections.abc import Sequence

from referee.tournament.formats.bracket import rounds_of
from referee.tournament.formats.table import ranked_by
from referee.tournament.plan.rounds import DrawInput, StageRules


def outlook(field: DrawInput) -> list[str]:
    """A line for each stage, or for a knockout. Empty for all else, whose rounds say it themselves."""
    lines: list[str] = []
    bots, last = len(field.bots), len(field.stages) - 1
    for number, rules in enumerate(field.stages):
        stage = f"stage {number + 1}: " * bool(last)
        if ranked_by(rules) == "places":
            lines.append(f"{stage}{_knockout(field, rules, bots, number)}")
        elif last:
            lines.append(f"{stage}{rules.format} of {bots}" + f", of which {rules.advance} go on" * (number < last))
        bots = min(bots, rules.advance or bots)
    return lines


def _knockout(field: DrawInput, rules: StageRules, bots: int, stage: int) -> str:
    """How many ties each round has, who has byes, how long a tie may be, and where the seeds come from."""
    seats = field.variants[0].seats
    *ties, _ = rounds_of(bots, seats=seats, advance=rules.advance or 1)
    limit = rules.limit or rules.deals
    deals = str(rules.deals) if limit == rules.deals else f"{rules.deals} to {limit}"
    seeds = f"seeds are the ranks of stage {stage}" if stage else "seeds are drawn by the key"
    rounds = _rounds(ties, bots - seats * ties[0]) if ties else "the final alone"
    return f"knockout of {bots}: {rounds}; a tie plays {deals} deals of each game; {seeds}"


def _rounds(ties: Sequence[int], byes: int) -> str:
    """How many ties there are in each round before the final: `5 ties with 3 byes, then 4, 2 and the final`."""
    first = f"{ties[0]} {'tie' if ties[0] == 1 else 'ties'}"
    first += f" with {byes} {'bye' if byes == 1 else 'byes'}" * bool(byes)
    rest = ", ".join(map(str, ties[1:]))
    return f"{first}, then {f'{rest} and ' * bool(rest)}the final"
