"""Places that a business comes to know: where its deliveries were, where a person put a pin, what a geocoder answered."""

from haulier.contexts.places.geocoding.rules.words import place_keys
from haulier.contexts.places.geocoding.store import known_places
from haulier.contexts.places.ports import AddressText, LocatedPlace, Quality
from haulier.kernel.call import Call

DELIVERY, PIN = "delivery", "pin"
_RANK = {PIN: 0, DELIVERY: 1}
"""Whose word counts more: a person's pin, a delivery, then any geocoder's."""


async def learn_place(call: Call, address: AddressText, place: LocatedPlace, *, order_id: int | None = None) -> None:
    """Keep where an address is, for the next time. What a better source said before stays.

    `order_id` is the order that it was learned from: what is erased of the order is then erased here.
    """
    keys = place_keys(address.country, address.city, address.address, address.postal_code)
    known = await known_places.get_known_places(call.work, keys)
    rank = _RANK.get(place.source, len(_RANK))
    rows = [
        {
            "place_key": key,
            "lat": place.lat,
            "lng": place.lng,
            "quality": place.quality,
            "source": place.source[:40],
            "order_id": order_id,
            "learned_at": call.now,
        }
        for key in keys
        if key not in known or rank <= _RANK.get(known[key].source, len(_RANK))
    ]
    await known_places.write_known_places(call.work, rows)


async def learn_pin(call: Call, address: AddressText, lat: float, lng: float, order_id: int) -> None:
    """Keep where a person says that the address of an order is."""
    await learn_place(call, address, LocatedPlace(lat, lng, Quality.PIN, PIN), order_id=order_id)


async def learn_delivery(call: Call, address: AddressText, lat: float, lng: float, order_id: int) -> None:
    """Keep where an order for an address was handed over."""
    await learn_place(call, address, LocatedPlace(lat, lng, Quality.ROOFTOP, DELIVERY), order_id=order_id)
