"""Groups of packages with a colour and a pattern each, so that neither is alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.web.i18n import Translate

Piece = Mapping[str, Any]
COLOURS, PATTERNS = 8, 7
"""They have no common divisor, so 56 signs are all different, and neighbours differ in both."""
WEIGHTS_KG = (5, 15, 30, 100, 300)
"""Pieces up to these weights look alike."""


class Sign(Struct, frozen=True, kw_only=True):
    """Colour and pattern of a group of packages."""

    number: int
    words: str
    colour: str
    pattern: int
    pieces: int


def ways_to_colour(pieces: Sequence[Piece]) -> list[str]:
    """Return the useful groupings of these packages, most useful first."""
    found = ["stop"] if any(piece["stop"] is not None for piece in pieces) else []
    found += ["order"] if any(piece["order_id"] is not None for piece in pieces) else []
    return [*found, "kind", "weight"] if not found else [*found, "weight", "kind"]


def signs_of(
    pieces: Sequence[Piece], way: str, say: Translate, kilograms: Callable[[float], str]
) -> tuple[list[Sign], dict[int, int]]:
    """The signs of a space, and by step the number of each piece's sign."""
    values = [_value(piece, way) for piece in pieces]
    shown = sorted(set(values), key=lambda each: (each is None, each))
    number_of = {value: number for number, value in enumerate(shown)}
    signs = [
        Sign(
            number=number,
            words=_words(value, way, say, kilograms),
            colour=f"w{value}" if way == "weight" else f"k{number % COLOURS}",
            pattern=value if way == "weight" else number % PATTERNS,
            pieces=values.count(value),
        )
        for value, number in number_of.items()
    ]
    return signs, {piece["step"]: number_of[value] for piece, value in zip(pieces, values, strict=True)}


def _value(piece: Piece, way: str) -> Any:
    if way == "weight":
        return sum(piece["weight_g"] > limit * 1000 for limit in WEIGHTS_KG)
    if way == "kind":
        return str(piece["piece"]).partition("#")[0]
    return piece["stop" if way == "stop" else "order_id"]


def _words(value: Any, way: str, say: Translate, kilograms: Callable[[float], str]) -> str:
    if way == "weight":
        above = value == len(WEIGHTS_KG)
        limit = kilograms(WEIGHTS_KG[-1] if above else WEIGHTS_KG[value])
        return say("plan_page.heavier" if above else "plan_page.up_to", weight=limit)
    if way == "kind":
        return value
    if value is None:
        return say("plan_page.no_order")
    return say("plan_page.stop", stop=value) if way == "stop" else say("record.order_id", value=value)
