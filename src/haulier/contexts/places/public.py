"""What other contexts may use of places."""

from haulier.contexts.places.address_book.queries import (
    BookAddress,
    get_book_addresses,
    get_default_senders,
    get_office_sender,
)
from haulier.contexts.places.geocoding.actions.import_open_data import OpenDataCounts, import_open_data
from haulier.contexts.places.geocoding.actions.learn import learn_delivery, learn_pin
from haulier.contexts.places.geocoding.actions.locate import locate_addresses, locate_readings
from haulier.contexts.places.geocoding.queries.locate import locate_offline
from haulier.contexts.places.geocoding.rules.part_names import OTHER_NAMES as ADDRESS_COLUMN_NAMES
from haulier.contexts.places.geocoding.rules.part_names import part_of_address
from haulier.contexts.places.geocoding.rules.words import house_number, joined_code, town_key
from haulier.contexts.places.geocoding.rules.written_addresses import UnreadAddress, read_address
from haulier.contexts.places.points_of_interest.queries import (
    PointRow,
    find_nearest_points,
    get_opening_periods,
    get_points,
)
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace, MapTiles, Quality
from haulier.contexts.places.zone_maps.queries.published_zones import (
    NO_SURCHARGES,
    ZoneSurcharges,
    get_zone_index,
    get_zone_surcharges,
)

__all__ = [
    "ADDRESS_COLUMN_NAMES",
    "NO_SURCHARGES",
    "AddressText",
    "BookAddress",
    "Geocoder",
    "GeocoderUnavailable",
    "LocatedPlace",
    "MapTiles",
    "OpenDataCounts",
    "PointRow",
    "Quality",
    "UnreadAddress",
    "ZoneSurcharges",
    "find_nearest_points",
    "get_book_addresses",
    "get_default_senders",
    "get_office_sender",
    "get_opening_periods",
    "get_points",
    "get_zone_index",
    "get_zone_surcharges",
    "house_number",
    "import_open_data",
    "joined_code",
    "learn_delivery",
    "learn_pin",
    "locate_addresses",
    "locate_offline",
    "locate_readings",
    "part_of_address",
    "read_address",
    "town_key",
]
