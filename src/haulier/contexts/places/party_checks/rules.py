"""Rules of party checks."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.kernel.values.countries import country_places, territory_places
from haulier.kernel.values.geography import LatLng, great_circle_m
from haulier.rendering.typesetting import unprintable_characters

ZERO_DEGREES = 0.01
COUNTRY_REACH_M = 3_000_000
"""No place of a country is farther than this from the nearest of its reference points."""
TERRITORY_REACH_M = 500_000
COUNTRY_MEANT_M = 1_000_000
"""Coordinates outside a country are explained by a mistake if they would be this near to one of its points without it."""
DEPOT_REACH_M = 2_000_000
"""Farther than any vehicle of the business delivers."""
SUSPECT_M, MEANT_M = 300_000, 50_000
"""Coordinates this far from every depot are suspect if a common mistake would put them this near to one."""


class CoordinateFault(StrEnum):
    """Reason why coordinates cannot be right."""

    ZERO = "coordinates_zero"
    SWAPPED = "coordinates_swapped"
    SIGN_LOST = "coordinates_sign_lost"
    FAR_FROM_COUNTRY = "coordinates_far_from_country"
    FAR_FROM_DEPOTS = "coordinates_far_from_depots"


class CoordinateFinding(Struct, frozen=True):
    """A coordinate error, its distance from the expected place, and a correction."""

    fault: CoordinateFault
    away_m: float = 0
    meant: LatLng | None = None


def check_coordinates(place: LatLng, country: str, depots: Sequence[LatLng] = ()) -> CoordinateFinding | None:
    """Compare coordinates with the country and depots; None if they may be right."""
    if max(map(abs, place)) < ZERO_DEGREES:
        return CoordinateFinding(CoordinateFault.ZERO)
    return _check_country(place, country) or _check_depots(place, depots)


def _check_country(place: LatLng, country: str) -> CoordinateFinding | None:
    points = country_places(country)
    if not points or _is_near(place, points, COUNTRY_REACH_M):
        return None
    if _is_near(place, territory_places(country), TERRITORY_REACH_M):
        return None
    away = _distance_m(place, points)
    return _explain(place, points, COUNTRY_MEANT_M, away) or CoordinateFinding(CoordinateFault.FAR_FROM_COUNTRY, away)


def _check_depots(place: LatLng, depots: Sequence[LatLng]) -> CoordinateFinding | None:
    if not depots or _is_near(place, depots, SUSPECT_M):
        return None
    away = _distance_m(place, depots)
    if found := _explain(place, depots, MEANT_M, away):
        return found
    return CoordinateFinding(CoordinateFault.FAR_FROM_DEPOTS, away) if away > DEPOT_REACH_M else None


def _explain(place: LatLng, points: Sequence[LatLng], reach_m: float, away_m: float) -> CoordinateFinding | None:
    """Return the mistake that best explains the coordinates, within reach."""
    found = min(_mistakes(place), key=lambda each: _distance_m(each[1], points))
    fault, meant = found
    return CoordinateFinding(fault, away_m, meant) if _is_near(meant, points, reach_m) else None


def _mistakes(place: LatLng) -> Iterator[tuple[CoordinateFault, LatLng]]:
    lat, lng = place
    for meant in ((lat, -lng), (-lat, lng), (-lat, -lng)):
        yield CoordinateFault.SIGN_LOST, meant
    if abs(lng) <= 90:
        for meant in ((lng, lat), (lng, -lat), (-lng, lat), (-lng, -lat)):
            yield CoordinateFault.SWAPPED, meant


def _is_near(place: LatLng, points: Sequence[LatLng], reach_m: float) -> bool:
    return any(great_circle_m(place, point) <= reach_m for point in points)


def _distance_m(place: LatLng, points: Sequence[LatLng]) -> float:
    return min(great_circle_m(place, point) for point in points)


_EVERYWHERE = re.compile(
    r"\bP\.?\s*O\.?\s*B(?:ox|x)?\.?\s*#?\s*\d|\bP\.?\s*O\.?\s*Box\b|\bPost(?:al)?\s+Office\s+Box\b|\bG\.?P\.?O\.?\s*Box\b"
    r"|\b(?:Locked|Private)\s+Bag\s*\d|\bPackstation\s*\d|\bPostfach\b|\bPostbus\s*\d|\bPostboks\s*\d|\bPostilokero\b"
    r"|\bBo[iî]te\s+postale\b|\bCase\s+postale\b|\bCasella\s+postale\b|\bCaixa\s+postal\b|\bApartado\b"
    r"|\b(?:Apdo|Aptdo)\.?(?:\s+de\s+correos)?\s*\d|\bCasilla(?:\s+de\s+correo)?\s*\d|\bSkrytka\s+pocztowa\b|\bSkr\.\s*poczt"
    r"|\bа/я\b|信箱|私書箱|사서함",
    re.IGNORECASE,
)
_BP = re.compile(r"\bB\.?\s?P\.?\s*(?:n[°o]\.?\s*)?\d", re.IGNORECASE)
_CP = re.compile(r"\bC\.?\s?P\.?\s*\d", re.IGNORECASE)
_BOX = re.compile(r"^\s*Box\s+\d", re.IGNORECASE)
_FRENCH_CODES = (
    "BE BF BI BJ CD CF CG CI CM DJ DZ FR GA GF GN GP GQ HT KM LU MA MC MG ML MQ MR MU NC NE PF RE RW SN TD TG TN YT"
)
_FRENCH = frozenset(_FRENCH_CODES.split())
_CASES = frozenset({"BR", "CA", "CH", "IT", "SM", "VA"})
"""Countries where `C.P.` is a box; in Spanish and Portuguese it is the postal code."""


def is_po_box(street: str, country: str) -> bool:
    """Return True if an address line is a P.O. box, which couriers can't deliver to."""
    return bool(
        _EVERYWHERE.search(street)
        or (country in _FRENCH and _BP.search(street))
        or (country in _CASES and _CP.search(street))
        or (country == "SE" and _BOX.search(street))
    )


_MILITARY_CITY = re.compile(r"(?:APO|FPO|DPO)\b", re.IGNORECASE)
_MILITARY_REGIONS = frozenset({"AA", "AE", "AP"})


def is_military_address(city: str, region: str, country: str) -> bool:
    """Return True for an APO, FPO or DPO, which only the US post delivers to."""
    state = region.strip().upper().removeprefix("US-")
    return country == "US" and bool(_MILITARY_CITY.match(city.strip()) or state in _MILITARY_REGIONS)


NOT_PRINTABLE = "not_printable"
PO_BOX = "po_box"
MILITARY_ADDRESS = "military_address"


class CheckedParty(Struct, frozen=True, kw_only=True):
    """Checked parts of a party: printed lines, address and known coordinates."""

    lines: tuple[str, ...]
    street: str
    country: str
    city: str = ""
    region: str = ""
    place: LatLng | None = None

    @property
    def postal_only(self) -> str | None:
        """The reason why only posts deliver there: `po_box` or `military_address`."""
        if is_military_address(self.city, self.region, self.country):
            return MILITARY_ADDRESS
        return PO_BOX if is_po_box(self.street, self.country) else None


class PartyFinding(Struct, frozen=True):
    """A warning about a party.

    `code` names the message `party.<code>`, `params` fills it.
    """

    code: str
    params: dict[str, Any] = {}


def check_party(
    party: CheckedParty, depots: Sequence[LatLng] = (), *, own_drivers: bool = False
) -> Iterator[PartyFinding]:
    """Yield the warnings about a party.

    With `own_drivers`, P.O. boxes, military addresses and places far from all depots are included.
    """
    reason = party.postal_only
    # A military address lies abroad or at sea, far from its country.
    country = "" if reason == MILITARY_ADDRESS else party.country
    if party.place and (found := check_coordinates(party.place, country, depots if own_drivers else ())):
        yield PartyFinding(found.fault.value, _coordinate_params(party, found))
    if own_drivers and reason:
        yield PartyFinding(reason)
    if characters := unprintable_characters("".join(party.lines)):
        yield PartyFinding(NOT_PRINTABLE, {"characters": characters})


def _coordinate_params(party: CheckedParty, found: CoordinateFinding) -> dict[str, Any]:
    params: dict[str, Any] = {"given": _written(party.place), "country": party.country}
    if found.fault is not CoordinateFault.ZERO:
        params["distance"] = f"{found.away_m / 1000:.0f}"
    return {**params, "meant": _written(found.meant)} if found.meant else params


def _written(place: LatLng | None) -> str:
    return f"{place[0]:g}, {place[1]:g}" if place else ""
