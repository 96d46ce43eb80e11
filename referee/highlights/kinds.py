"""All kinds of highlights, in the order in which they take turns. tournaments/HIGHLIGHTS.md defines each."""

from referee.highlights import finishes, slaps
from referee.highlights.highlight import Kind

UPSET = Kind(
    name="upset",
    title="Greatest upset",
    plain="Upset",
    meaning="A bot wins before another one, which by the ratings of the game happens in less than one of ten matches.",
    is_scaled=False,
)

KINDS = (
    UPSET,
    Kind(
        name="comeback",
        title="Greatest comeback",
        plain="Comeback",
        meaning="The winner of a match was far behind: the most strokes by which it trailed after a round.",
        is_scaled=True,
        find=finishes.greatest_comeback,
    ),
    Kind(
        name="swing",
        title="Greatest swing",
        plain="Swing",
        meaning="The lead changes hands within one round: the most strokes that the new leader made good in it.",
        is_scaled=True,
        find=finishes.greatest_swing,
    ),
    Kind(
        name="wrong-slap",
        title="Most expensive wrong slap",
        plain="Wrong slap",
        meaning="The card that a wrong slap brought the slapper costs it the most strokes at the end of the round.",
        is_scaled=True,
        find=slaps.dearest_wrong_slap,
    ),
    Kind(
        name="lead-changes",
        title="Most lead changes",
        plain="Lead changes",
        meaning="The lead changes hands most often in a match, by the scores after each round.",
        is_scaled=False,
        find=finishes.most_lead_changes,
    ),
    Kind(
        name="closest-finish",
        title="Closest finish",
        plain="Finish",
        meaning="The first and the second lie the fewest strokes apart in the end, for each round that was played.",
        is_scaled=True,
        find=finishes.closest_finish,
    ),
)
"""Every kind. Another one is a function and an entry here, its definition in the page, and its test."""
