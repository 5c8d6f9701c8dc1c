"""What other contexts may use of places."""

from haulier.contexts.places.geocoding.actions.learn import learn_delivery, learn_pin
from haulier.contexts.places.geocoding.actions.locate import locate_addresses
from haulier.contexts.places.geocoding.queries.locate import locate_offline
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace, Quality

__all__ = [
    "AddressText",
    "Geocoder",
    "GeocoderUnavailable",
    "LocatedPlace",
    "Quality",
    "learn_delivery",
    "learn_pin",
    "locate_addresses",
    "locate_offline",
]
