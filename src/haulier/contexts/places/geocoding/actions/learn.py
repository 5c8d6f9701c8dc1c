"""Places that a business comes to know: where its deliveries were, where a person put a pin, what a geocoder answered."""

from haulier.contexts.places.geocoding.rules.words import place_keys
from haulier.contexts.places.geocoding.store import known_places
from haulier.contexts.places.ports import AddressText, LocatedPlace, Quality
from haulier.kernel.call import Call

DELIVERY, PIN = "delivery", "pin"
_RANK = {PIN: 0, DELIVERY: 1}
"""Whose word counts more: a person's pin, a delivery, then any geocoder's."""


async def learn_place(call: Call, address: AddressText, place: LocatedPlace) -> None:
    """Keep where an address is, for the next time. What a better source said before stays."""
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
            "learned_at": call.now,
        }
        for key in keys
        if key not in known or rank <= _RANK.get(known[key].source, len(_RANK))
    ]
    await known_places.write_known_places(call.work, rows)


async def learn_pin(call: Call, address: AddressText, lat: float, lng: float) -> None:
    """Keep where a person says that an address is."""
    await learn_place(call, address, LocatedPlace(lat, lng, Quality.PIN, PIN))


async def learn_delivery(call: Call, address: AddressText, lat: float, lng: float) -> None:
    """Keep where an order for an address was handed over."""
    await learn_place(call, address, LocatedPlace(lat, lng, Quality.ROOFTOP, DELIVERY))
