"""Whether orders may go to a place, by the zones in force: where drivers would have to go, and nowhere else."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from haulier.contexts.orders.quotes.rules.prices import Coordinates
from haulier.contexts.places.zone_maps.rules.effects import Closure, find_zone_effects
from haulier.contexts.places.zone_maps.rules.zone_index import ZoneIndex
from haulier.kernel.operations.errors import FieldError, declare_error

OUTSIDE_SERVICE_AREA = declare_error("outside_service_area", 422, fields=("consignee", "shipper"))
NO_GO_ZONE = declare_error("no_go_zone", 422, fields=("consignee", "shipper"))
ZONE_ERRORS = (OUTSIDE_SERVICE_AREA, NO_GO_ZONE)
"""The errors of what asks a driver to go where zones let nobody go."""
_ERRORS = {Closure.OUTSIDE: OUTSIDE_SERVICE_AREA, Closure.NO_GO: NO_GO_ZONE}


class ClosedEnd(Struct, frozen=True):
    """An end of an order that zones close, by its field."""

    field: str
    closure: Closure
    advisory: bool
    """Whether the zones only warn."""

    @property
    def error_id(self) -> str:
        """Which error it is, or would be."""
        return _ERRORS[self.closure].id


def find_closed_ends(index: ZoneIndex, ends: Mapping[str, Coordinates | None]) -> list[ClosedEnd]:
    """The ends, by their fields, that zones close. An end without coordinates is judged when a plan is made."""
    if not index.count:
        return []
    effects = {field: find_zone_effects(index, place) for field, place in ends.items() if place}
    return [ClosedEnd(field, each.closure, each.closure_is_advisory) for field, each in effects.items() if each.closure]


def require_open(closed: Sequence[ClosedEnd]) -> None:
    """Refuse what zones close. Raises `OUTSIDE_SERVICE_AREA` or `NO_GO_ZONE` with the ends; the first says which."""
    refusing = [end for end in closed if not end.advisory]
    if refusing:
        error = _ERRORS[refusing[0].closure]
        raise error.for_fields(*(FieldError(end.field, end.error_id) for end in refusing))
