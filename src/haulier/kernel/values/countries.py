"""Country codes (ISO 3166-1 alpha-2) and reference points, from tzdata."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.entering import is_entering
from haulier.kernel.values.geography import LatLng

KOSOVO = "XK"
"""Kosovo has no official code. Posts and carriers use this user-assigned one."""
_TERRITORIES = {
    "AU": ("CC", "CX", "NF"),
    "CN": ("HK", "MO", "TW"),
    "DK": ("FO", "GL"),
    "FI": ("AX",),
    "FR": ("BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT"),
    "GB": ("AI", "BM", "FK", "GG", "GI", "GS", "IM", "IO", "JE", "KY", "MS", "PN", "SH", "TC", "VG"),
    "NL": ("AW", "BQ", "CW", "SX"),
    "NO": ("BV", "SJ"),
    "NZ": ("CK", "NU", "TK"),
    "US": ("AS", "GU", "MP", "PR", "UM", "VI"),
}
"""Territories with their own codes whose addresses often use the code of the parent country."""
_NEAREST_OF = {KOSOVO: "RS", "BV": "ZA", "HM": "AU"}
"""Codes without a time zone, and the neighbour whose reference points they share."""
_PLACE = re.compile(r"([+-])(\d{2})(\d{2})(\d{2})?([+-])(\d{3})(\d{2})(\d{2})?")


@cache
def iso_country_codes() -> frozenset[str]:
    """Return the officially assigned codes."""
    return frozenset(fields[0] for fields in _rows("iso3166.tab"))


@cache
def country_codes() -> frozenset[str]:
    """Return the codes allowed in addresses: ISO 3166-1 and Kosovo."""
    return iso_country_codes() | {KOSOVO}


def country_places(code: str) -> tuple[LatLng, ...]:
    """Return one reference point per time zone of a country; none for an unknown code.

    Every place in a country is within about 2,600 km of one of its points.
    """
    return _places().get(_NEAREST_OF.get(code, code), ())


def territory_places(code: str) -> tuple[LatLng, ...]:
    """Return reference points of a country's overseas territories.

    Their addresses often use the country's code.
    """
    return tuple(place for each in _TERRITORIES.get(code, ()) for place in country_places(each))


def time_zones_by_country() -> Iterator[tuple[str, str]]:
    """Yield each time zone (IANA name) with its country."""
    return ((zone, code) for code, _, zone, *_ in _rows("zone.tab"))


def place_of_time_zone(zone: str) -> LatLng | None:
    """Return the location of the city that names a time zone, or None."""
    return next((_read_place(place) for _, place, name, *_ in _rows("zone.tab") if name == zone), None)


@cache
def _places() -> Mapping[str, tuple[LatLng, ...]]:
    found: dict[str, list[LatLng]] = {}
    for code, place, *_ in _rows("zone.tab"):
        found.setdefault(code, []).append(_read_place(place))
    return {code: tuple(places) for code, places in found.items()}


def _read_place(text: str) -> LatLng:
    """Parse ISO 6709 degrees, minutes and optional seconds: `+4339-07923`."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    north, east = match.groups()[:4], match.groups()[4:]
    return _degrees(*north), _degrees(*east)


def _degrees(sign: str, degrees: str, minutes: str, seconds: str | None) -> float:
    return float(sign + "1") * (int(degrees) + int(minutes) / 60 + int(seconds or 0) / 3600)


def _rows(name: str) -> Iterator[list[str]]:
    text = (files("tzdata") / "zoneinfo" / name).read_text(encoding="utf-8")
    return (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))


def validate_country(code: str) -> str:
    """Return the code if it is a country.

    Raises `ValueError` with an error code otherwise.
    """
    if code not in country_codes():
        raise PydanticCustomError("unknown_country", "{given} is not known", {"given": code})
    return code


def _validate_entering(code: str, info: ValidationInfo) -> str:
    return validate_country(code) if is_entering(info) else code


CountryCode = Annotated[
    str, Field(min_length=2, max_length=2, pattern="^[A-Z]{2}$", examples=["CA"]), AfterValidator(_validate_entering)
]
"""Country in a request or imported row (ISO 3166-1 alpha-2)."""
