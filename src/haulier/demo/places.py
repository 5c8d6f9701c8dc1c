"""Places of the demo: addresses, points of interest, zones and a dataset."""

from typing import Any

from haulier.contexts.places.public import import_open_data
from haulier.demo.caller import OperationCaller
from haulier.demo.city import region_lines, tours
from haulier.demo.people import SHOPS

REGION = "region:helsinki:demo"
"""Source of the addresses that the search finds."""
ADDRESSES = 6
POINTS = (
    ("parking", "Loading bay Erottaja", "Erottajankatu 9", 60.16489, 24.94345),
    ("customer", SHOPS[0], "Annankatu 10", 60.16433, 24.93795),
    ("fuel", "Charging point Hakaniemi", "Siltasaarenkatu 4", 60.17728, 24.94977),
)
CENTRE = [[24.9365, 60.1655], [24.9520, 60.1655], [24.9520, 60.1712], [24.9365, 60.1712], [24.9365, 60.1655]]
PARK = [[24.9432, 60.1742], [24.9480, 60.1742], [24.9480, 60.1758], [24.9432, 60.1758], [24.9432, 60.1742]]
TARIFF_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"building": {"type": "string"}, "hours": {"type": "string"}, "floors": {"type": "integer"}},
    "required": ["building"],
}
BUILDINGS = (
    ("Office house Esplanadi", "07:30-21:00", 6, 60.16772, 24.94567),
    ("Library Töölönlahti", "09:30-17:00", 3, 60.17354, 24.9381),
    ("Studio house Bulevardi", "11:00-17:00", 4, 60.16515, 24.9395),
)


BRAND: dict[str, Any] = {
    "colour": "#1f4e9c",
    "contact_phone": "+358 9 4245 0100",
    "contact_email": "help@demo.example",
    "website": "https://demo.example/help",
    "live_map": True,
}


async def seed_places(admin: OperationCaller) -> None:
    """Create the places, and let recipients see their drivers on the map."""
    await admin.call("set_brand", **BRAND)
    await import_open_data(admin.app.database, region_lines(), source=REGION, country=None)
    for name, address in zip(SHOPS, tours()[5].addresses[:ADDRESSES], strict=False):
        await admin.call("create_address", name=name, **address.fields)
    for category, name, address, lat, lng in POINTS:
        point = {"category": category, "name": name, "address": address}
        await admin.call("create_point_of_interest", **point, lat=lat, lng=lng)
    await _draw_zones(admin)
    if "datasets" in admin.app.loaded:
        await _list_buildings(admin)
    labels = {"en": "Shelf", "fr": "Rayon", "de": "Fach"}
    field = {"kind": "order", "name": "shelf", "value_schema": {"type": "string", "maxLength": 12}}
    await admin.call("create_custom_field", **field, labels=labels, filterable=True)
    if "alliances" in admin.app.loaded:
        await admin.call("create_alliance", name="Couriers of Helsinki", note="Share what is on its way")


async def _draw_zones(admin: OperationCaller) -> None:
    """Create a zone of the centre, and one of a park, which vans cannot enter."""
    zone_map = (await admin.call("create_zone_map", name="Helsinki")).zone_map.id
    centre = {"name": "City centre", "colour": "#2f6f9f"}
    park = {"name": "Kaisaniemi park", "rule": "no_go", "advisory": True, "colour": "#a33b2f"}
    for code, corners, terms in (("centre", CENTRE, centre), ("park", PARK, park)):
        geometry = {"type": "Polygon", "coordinates": [corners]}
        await admin.call("put_zone", zone_map_id=zone_map, code=code, geometry=geometry, **terms)
    await admin.call("publish_zone_map", zone_map_id=zone_map, note="The first version")


async def _list_buildings(admin: OperationCaller) -> None:
    group = (await admin.call("create_dataset_group", name="Facts for drivers", readers=["employee", "driver"])).group
    terms = {"name": "Buildings", "description": "When a front desk is there", "group_id": group.id}
    made = await admin.call("create_dataset", **terms, record_schema=TARIFF_SCHEMA, key_field="building")
    for building, hours, floors, lat, lng in BUILDINGS:
        values = {"building": building, "hours": hours, "floors": floors}
        await admin.call("create_dataset_record", dataset_id=made.dataset.id, values=values, lat=lat, lng=lng)
