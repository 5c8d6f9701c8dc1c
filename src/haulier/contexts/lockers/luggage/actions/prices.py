"""Prices of luggage by service, number and size of bags, distance and destination."""

from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import (
    Service,
    ServiceKind,
    ServiceMeasures,
    ServicePrice,
    check_service_values,
    find_offered_service,
    price_service,
)
from haulier.contexts.identity.public import require_client
from haulier.contexts.lockers.luggage.contract.bookings import LuggagePlace, LuggageWish
from haulier.contexts.lockers.luggage.rules import VOLUMES_CM3
from haulier.contexts.lockers.sites.queries import count_free_boxes, get_site
from haulier.contexts.lockers.sites.rules import rank_of
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.values.geography import great_circle_m


class PricedLuggage(Struct, frozen=True, kw_only=True):
    """A requested relay with its places and current price."""

    service: Service
    values: dict[str, Any]
    origin: dict[str, Any]
    destination: dict[str, Any]
    price: ServicePrice


async def price_wish(call: Call, wish: LuggageWish) -> PricedLuggage:
    """Quote a relay.

    Raises `NOT_FOUND`, `INVALID_REQUEST`, `SERVICE_OUT_OF_AREA`, `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    service = await find_offered_service(call, wish.service_code, [ServiceKind.LUGGAGE])
    values = check_service_values(service, wish.values)
    origin = await describe_place(call, wish.origin)
    destination = await describe_place(call, wish.destination)
    measures = ServiceMeasures(
        pieces=len(wish.bags),
        volume_cm3=sum(VOLUMES_CM3[bag.size] for bag in wish.bags),
        distance_m=_distance_m(origin, destination) if service.pricing.per_km_minor else 0,
        country=destination["country"],
        postal_code=destination["postal_code"],
    )
    price = price_service(service, values, measures)
    return PricedLuggage(service=service, values=values, origin=origin, destination=destination, price=price)


async def describe_place(call: Call, place: LuggagePlace) -> dict[str, Any]:
    """Return a place as stored with a booking, for lockers from their site.

    Raises `NOT_FOUND`.
    """
    described = place.model_dump(mode="json")
    if place.country is None:
        described["country"] = (await require_client(call.work, call.client_id)).country
    if place.site_id is not None:
        site = await get_site(call, place.site_id)
        described |= {"name": site.name, "address": site.address, "lat": site.lat, "lng": site.lng}
    return described


def _distance_m(origin: dict[str, Any], destination: dict[str, Any]) -> int:
    """Return the distance as the crow flies.

    Raises `INVALID_REQUEST` at a place without coordinates.
    """
    for name, place in (("origin", origin), ("destination", destination)):
        if place["lat"] is None or place["lng"] is None:
            raise INVALID_REQUEST.for_fields(FieldError(f"{name}.lat", "field.missing"))
    return round(great_circle_m((origin["lat"], origin["lng"]), (destination["lat"], destination["lng"])))


async def has_room(call: Call, wish: LuggageWish) -> bool | None:
    """Return True if each bag fits a free compartment now, all at once.

    None if the origin is not a locker.
    """
    if wish.origin.site_id is None:
        return None
    free = await count_free_boxes(call, wish.origin.site_id)
    wanted = [rank_of(bag.size) for bag in wish.bags]
    return all(
        sum(each >= rank for each in wanted) <= sum(each.free for each in free if rank_of(each.size) >= rank)
        for rank in wanted
    )


def price_values(price: ServicePrice) -> dict[str, Any]:
    """Return the columns of a price."""
    lines = [{"code": line.code, "name": line.name, "minor": line.minor} for line in price.lines]
    return {"price_minor": price.total_minor, "currency": price.currency, "price_lines": lines}
