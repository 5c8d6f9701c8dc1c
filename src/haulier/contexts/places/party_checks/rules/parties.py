"""Everything odd about a party of an order or a shipment: one check for orders, files, labels and rates."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.places.party_checks.rules.coordinates import CoordinateFault, CoordinateFinding, check_coordinates
from haulier.contexts.places.party_checks.rules.po_boxes import is_po_box
from haulier.kernel.values.geography import LatLng
from haulier.rendering.typesetting import unprintable_characters

NOT_PRINTABLE = "not_printable"
PO_BOX = "po_box"


class CheckedParty(Struct, frozen=True, kw_only=True):
    """What is checked of a party: the printed lines, the street among them, the country, and coordinates where known."""

    lines: tuple[str, ...]
    street: str
    country: str
    place: LatLng | None = None


class PartyFinding(Struct, frozen=True):
    """Something odd about a party. `code` names the message `party.<code>`, `params` fills it."""

    code: str
    params: dict[str, Any] = {}


def check_party(
    party: CheckedParty, depots: Sequence[LatLng] = (), *, own_drivers: bool = False
) -> Iterator[PartyFinding]:
    """Find what is odd about a party. With `own_drivers`, a P.O. box and a place far from all depots are odd, too."""
    if party.place and (found := check_coordinates(party.place, party.country, depots if own_drivers else ())):
        yield PartyFinding(found.fault.value, _coordinate_params(party, found))
    if own_drivers and is_po_box(party.street, party.country):
        yield PartyFinding(PO_BOX)
    if characters := unprintable_characters("".join(party.lines)):
        yield PartyFinding(NOT_PRINTABLE, {"characters": characters})


def _coordinate_params(party: CheckedParty, found: CoordinateFinding) -> dict[str, Any]:
    params: dict[str, Any] = {"given": _written(party.place), "country": party.country}
    if found.fault is not CoordinateFault.ZERO:
        params["distance"] = f"{found.away_m / 1000:.0f}"
    return {**params, "meant": _written(found.meant)} if found.meant else params


def _written(place: LatLng | None) -> str:
    return f"{place[0]:g}, {place[1]:g}" if place else ""
