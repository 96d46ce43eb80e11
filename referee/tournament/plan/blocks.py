"""The games as blocks play them, in which bots are compared on the same cards."""

from msgspec.structs import replace

from referee.rules.book.variant import Variant

CACTUS_ROUNDS = 20
"""How many rounds a Cactus match has at most where the config sets no number (AMB-46)."""


def for_blocks(variant: Variant) -> Variant:
    """The variant as blocks play it: all rotations start alike (AMB-82), and Cactus has a cap on rounds."""
    if not variant.has("fixed_starter"):
        return variant
    rounds = variant.options.rounds or CACTUS_ROUNDS
    return replace(variant, options=replace(variant.options, fixed_starter=True, rounds=rounds))
