"""Places of the demo: addresses, points of interest, zones and a dataset."""

from typing import Any

from haulier.demo.addresses import PLACES
from haulier.demo.caller import OperationCaller

ADDRESSES = 6
POINTS = (("parking", 2), ("customer", 3), ("fuel", 16))
DOWNTOWN = [[-79.425, 43.630], [-79.340, 43.630], [-79.340, 43.685], [-79.425, 43.685], [-79.425, 43.630]]
ISLANDS = [[-79.410, 43.610], [-79.345, 43.610], [-79.345, 43.628], [-79.410, 43.628], [-79.410, 43.610]]
TARIFF_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"building": {"type": "string"}, "hours": {"type": "string"}, "floors": {"type": "integer"}},
    "required": ["building"],
}
BUILDINGS = (("City Hall", "07:30-21:00", 27), ("Casa Loma", "09:30-17:00", 3), ("Fort York", "11:00-17:00", 1))


async def seed_places(admin: OperationCaller) -> None:
    """Create the places."""
    for name, address, postal_code, lat, lng in PLACES[:ADDRESSES]:
        place = {"city": "Toronto", "region": "ON", "country": "CA", "postal_code": postal_code, "lat": lat, "lng": lng}
        await admin.call("create_address", name=name, address=address, **place)
    for category, index in POINTS:
        name, address, _, lat, lng = PLACES[index]
        point = {"category": category, "name": f"{name}, {category}", "address": address}
        await admin.call("create_point_of_interest", **point, lat=lat, lng=lng)
    await _draw_zones(admin)
    if "datasets" in admin.app.loaded:
        await _list_buildings(admin)
    labels = {"en": "Shelf", "fr": "Rayon", "de": "Fach"}
    field = {"kind": "order", "name": "shelf", "value_schema": {"type": "string", "maxLength": 12}}
    await admin.call("create_custom_field", **field, labels=labels, filterable=True)
    if "alliances" in admin.app.loaded:
        await admin.call("create_alliance", name="Couriers of Ontario", note="Share what is on its way")


async def _draw_zones(admin: OperationCaller) -> None:
    """Create a zone downtown, and one for the islands, which vans cannot reach."""
    zone_map = (await admin.call("create_zone_map", name="Toronto")).zone_map.id
    downtown = {"name": "Downtown", "colour": "#2f6f9f"}
    islands = {"name": "The islands", "rule": "no_go", "advisory": True, "colour": "#a33b2f"}
    for code, corners, terms in (("downtown", DOWNTOWN, downtown), ("islands", ISLANDS, islands)):
        geometry = {"type": "Polygon", "coordinates": [corners]}
        await admin.call("put_zone", zone_map_id=zone_map, code=code, geometry=geometry, **terms)
    await admin.call("publish_zone_map", zone_map_id=zone_map, note="The first version")


async def _list_buildings(admin: OperationCaller) -> None:
    group = (await admin.call("create_dataset_group", name="Facts for drivers", readers=["employee", "driver"])).group
    terms = {"name": "Buildings", "description": "When a front desk is there", "group_id": group.id}
    made = await admin.call("create_dataset", **terms, record_schema=TARIFF_SCHEMA, key_field="building")
    where = {name: (lat, lng) for name, _, _, lat, lng in PLACES}
    for building, hours, floors in BUILDINGS:
        lat, lng = where[building]
        values = {"building": building, "hours": hours, "floors": floors}
        await admin.call("create_dataset_record", dataset_id=made.dataset.id, values=values, lat=lat, lng=lng)
