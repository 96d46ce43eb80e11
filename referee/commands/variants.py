"""variants: which games there are, and their options."""

from typing import Any

import msgspec
from msgspec import Struct

from referee.commands.console import put, put_json
from referee.commands.options import Json
from referee.errors import DONE
from referee.rules.variants import PRESETS, Variant


class VariantRow(Struct, frozen=True, kw_only=True):
    """A preset as `variants --json` lists it."""

    name: str
    summary: str
    seats: tuple[int, int]
    options: dict[str, Any]


def variants(as_json: Json = False) -> int:
    """List the games, a line each, with --json also their options.

    Example: golfref variants --json
    """
    if as_json:
        put_json(msgspec.json.encode([_row(variant) for variant in PRESETS.values()]))
    else:
        width = max(map(len, PRESETS))
        put(*(f"{variant.preset:{width}}  {variant.summary}" for variant in PRESETS.values()))
    return DONE


def _row(variant: Variant) -> VariantRow:
    return VariantRow(
        name=variant.preset,
        summary=variant.summary,
        seats=variant.seats,
        options=msgspec.to_builtins(variant.own_options()),
    )
