"""Interface of places for other contexts."""

from haulier.contexts.places.address_book.queries import (
    BookAddress,
    get_book_addresses,
    get_default_senders,
    get_office_sender,
)
from haulier.contexts.places.geocoding.actions import (
    OpenDataCounts,
    import_open_data,
    list_open_sources,
    locate_addresses,
    locate_readings,
    record_delivery_place,
    record_pin,
    remove_open_data,
)
from haulier.contexts.places.geocoding.queries import find_packaged_country, locate_offline
from haulier.contexts.places.geocoding.rules.formats import UnreadAddress, read_address
from haulier.contexts.places.geocoding.rules.words import OTHER_NAMES as ADDRESS_COLUMN_NAMES
from haulier.contexts.places.geocoding.rules.words import house_number, joined_code, part_of_address, town_key
from haulier.contexts.places.points_of_interest.queries import (
    PointRow,
    find_nearest_points,
    get_opening_periods,
    get_points,
)
from haulier.contexts.places.ports import (
    AddressText,
    BusinessCountries,
    Geocoder,
    GeocoderUnavailable,
    InstalledRegion,
    LocatedPlace,
    MapTiles,
    OnRegionProgress,
    Quality,
    RegionFault,
    RegionInstalls,
    RegionOutcome,
    RegionProgress,
    RegionRemark,
    Regions,
)
from haulier.contexts.places.zone_maps.queries import NO_SURCHARGES, ZoneSurcharges, get_zone_index, get_zone_surcharges

__all__ = [
    "ADDRESS_COLUMN_NAMES",
    "NO_SURCHARGES",
    "AddressText",
    "BookAddress",
    "BusinessCountries",
    "Geocoder",
    "GeocoderUnavailable",
    "InstalledRegion",
    "LocatedPlace",
    "MapTiles",
    "OnRegionProgress",
    "OpenDataCounts",
    "PointRow",
    "Quality",
    "RegionFault",
    "RegionInstalls",
    "RegionOutcome",
    "RegionProgress",
    "RegionRemark",
    "Regions",
    "UnreadAddress",
    "ZoneSurcharges",
    "find_nearest_points",
    "find_packaged_country",
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
    "list_open_sources",
    "locate_addresses",
    "locate_offline",
    "locate_readings",
    "part_of_address",
    "read_address",
    "record_delivery_place",
    "record_pin",
    "remove_open_data",
    "town_key",
]
