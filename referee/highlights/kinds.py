"""All kinds of highlights, in the order in which they take turns. tournaments/HIGHLIGHTS.md defines each."""

from referee.highlights import finishes, slaps
from referee.highlights.highlight import Kind

UPSET = Kind(
    name="upset",
    title="Greatest upset",
    plain="Upset",
    is_scaled=False,
)

KINDS = (
    UPSET,
    Kind(
        name="comeback",
        title="Greatest comeback",
        plain="Comeback",
        is_scaled=True,
        find=finishes.greatest_comeback,
    ),
    Kind(
        name="swing",
        title="Greatest swing",
        plain="Swing",
        is_scaled=True,
        find=finishes.greatest_swing,
    ),
    Kind(
        name="wrong-slap",
        title="Most expensive wrong slap",
        plain="Wrong slap",
        is_scaled=True,
        find=slaps.dearest_wrong_slap,
    ),
    Kind(
        name="lead-changes",
        title="Most lead changes",
        plain="Lead changes",
        is_scaled=False,
        find=finishes.most_lead_changes,
    ),
    Kind(
        name="closest-finish",
        title="Closest finish",
        plain="Finish",
        is_scaled=True,
        find=finishes.closest_finish,
    ),
)
"""Every kind. Another one is a function and an entry here, its definition in the page, and its test."""
