"""Zone maps: drafts, published versions, and effects at places."""

import json

from tests.contexts.places.zone_makers import code_of, import_and_read, make_square
from tests.contexts.places.zone_maps.steps import make_map, publish, put
from tests.support.app import App

HERE = {"lat": 43.65, "lng": -79.35}
KML = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder>
<Placemark id="north"><name>North</name><ExtendedData><Data name="rule"><value>surcharge</value></Data>
<Data name="surcharge_minor"><value>250</value></Data></ExtendedData>
<Polygon><outerBoundaryIs><LinearRing><coordinates>
-79.4,43.6,0 -79.3,43.6,0 -79.3,43.7,0 -79.4,43.7,0 -79.4,43.6,0</coordinates></LinearRing></outerBoundaryIs></Polygon>
</Placemark>
<Placemark><name>The ring road</name><LineString><coordinates>-79.4,43.6 -79.3,43.7</coordinates></LineString></Placemark>
<Placemark><name>Nowhere</name></Placemark>
</Folder></Document></kml>"""


async def codes_at(app: App, **place: float) -> list[str]:
    return [zone.code for zone in (await app.answer("admin", "check_place", place or HERE)).zones]


async def test_a_zone_takes_effect_when_its_map_is_published(app: App) -> None:
    zone_map_id = await make_map(app)
    zone = await put(app, zone_map_id, "north", rule="surcharge", surcharge_minor=250)
    assert (zone.rule, zone.surcharge_minor, zone.since_version) == ("surcharge", 250, 1)
    assert 88 < zone.area_km2 < 91
    assert await codes_at(app) == []
    assert (await publish(app, zone_map_id)).version == 1
    assert await codes_at(app) == ["north"]
    assert (await app.answer("rival", "check_place", HERE)).zones == []
    assert await codes_at(app, lat=43.71, lng=-79.35) == []
    drawn = (await app.rest("contractor", "GET", "/v1/zones")).json()["zones"]
    assert [(each["code"], "surcharge_minor" in each) for each in drawn] == [("north", False)]
    away = (await app.rest("contractor", "GET", "/v1/zones?west=0&south=0&east=1&north=1")).json()["zones"]
    assert away == []


async def test_employees_draw_zones_and_admins_publish_them(app: App) -> None:
    zone_map_id = await make_map(app)
    asked = {"name": "n", "geometry": make_square(-79.4, 43.6)}
    path = f"/v1/zone-maps/{zone_map_id}"
    assert (await app.rest("employee", "PUT", f"{path}/zones/north", asked)).status_code == 200
    assert (await app.rest("employee", "POST", f"{path}/publish", {})).status_code == 403
    assert (await app.rest("admin", "POST", f"{path}/publish", {"note": "First"})).status_code == 200
    assert (await app.rest("admin", "POST", f"{path}/publish", {})).json()["code"] == "ZONE_MAP_UNCHANGED"
    versions = (await app.rest("employee", "GET", f"{path}/versions")).json()["versions"]
    assert [(each["number"], each["note"], each["zones"], each["published_by"]) for each in versions] == [
        (1, "First", 1, app.ids["admin"])
    ]


async def test_versions_can_be_compared_and_rolled_back(app: App) -> None:
    zone_map_id = await make_map(app)
    of_it = {"zone_map_id": zone_map_id}
    for code in ("a", "b"):
        await put(app, zone_map_id, code)
    await publish(app, zone_map_id)
    await put(app, zone_map_id, "a")
    assert (await app.answer("admin", "get_zone_map", of_it)).zone_map.draft_changes == 0
    await put(app, zone_map_id, "a", priority=5, rule="surcharge", surcharge_percent=10)
    await put(app, zone_map_id, "a", priority=6, rule="surcharge", surcharge_percent=10)
    await app.answer("admin", "remove_zone", {**of_it, "code": "b"})
    await put(app, zone_map_id, "c")
    assert (await app.answer("admin", "get_zone_map", of_it)).zone_map.draft_changes == 3
    assert await codes_at(app) == ["a", "b"]

    async def differences(**between: int) -> list[tuple[str, str, list[str]]]:
        answer = await app.answer("admin", "compare_zone_map_versions", {**of_it, **between})
        return [(each.code, each.change, each.fields) for each in answer.differences]

    changed = ["rule", "priority", "surcharge_percent"]
    expected = [("a", "changed", changed), ("b", "removed", []), ("c", "added", [])]
    assert await differences(before=1) == expected
    await publish(app, zone_map_id)
    assert await differences(before=1, after=2) == expected
    assert await codes_at(app) == ["a", "c"]

    await put(app, zone_map_id, "d")
    await app.answer("admin", "roll_back_zone_map", {**of_it, "version": 1})
    assert await codes_at(app) == ["a", "b"]
    assert await differences(before=1, after=3) == []
    assert (await app.answer("admin", "get_zone_map", of_it)).zone_map.draft_changes == 0
    listed = await app.answer("admin", "list_zones", {**of_it, "version": 2})
    assert [(zone.code, zone.priority) for zone in listed.zones] == [("a", 6), ("c", 0)]
    assert (await app.call("admin", "roll_back_zone_map", {**of_it, "version": 9})).status == 404


async def test_a_draft_can_be_discarded(app: App) -> None:
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "a")
    await publish(app, zone_map_id)
    await put(app, zone_map_id, "a", priority=5)
    await put(app, zone_map_id, "b")
    await app.answer("admin", "discard_zone_map_draft", {"zone_map_id": zone_map_id})
    listed = (await app.answer("admin", "list_zones", {"zone_map_id": zone_map_id})).zones
    assert [(zone.code, zone.priority) for zone in listed] == [("a", 0)]


async def test_an_archived_map_has_no_effect_and_cannot_be_changed(app: App) -> None:
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "a")
    await publish(app, zone_map_id)
    await app.answer("admin", "archive_zone_map", {"zone_map_id": zone_map_id})
    assert await codes_at(app) == []
    asked = {"zone_map_id": zone_map_id, "code": "b", "name": "b", "geometry": make_square(0, 0)}
    assert await code_of(app, "admin", "put_zone", asked) == "ZONE_MAP_ARCHIVED"
    assert (await app.answer("admin", "list_zone_maps")).zone_maps == []
    assert len((await app.answer("admin", "list_zone_maps", {"archived": True})).zone_maps) == 1
    assert len((await app.answer("admin", "list_zones", {"zone_map_id": zone_map_id, "version": 1})).zones) == 1


async def test_the_highest_priority_zone_wins_and_ties_go_to_the_smaller(app: App) -> None:
    zone_map_id = await make_map(app)
    large, small = make_square(-79.5, 43.5, 0.4), make_square(-79.36, 43.64, 0.02)
    for code, geometry, priority, minor in (("wide", large, 0, 100), ("near", small, 0, 200), ("top", large, 1, 300)):
        await put(app, zone_map_id, code, geometry=geometry, priority=priority, rule="surcharge", surcharge_minor=minor)
    await put(app, zone_map_id, "road", geometry={"type": "LineString", "coordinates": [[-79.4, 43.6], [-79.3, 43.7]]})
    await publish(app, zone_map_id)
    assert await codes_at(app) == ["top", "near", "wide"]
    assert (await app.answer("admin", "check_place", HERE)).surcharge_minor == 300
    await app.answer("admin", "remove_zone", {"zone_map_id": zone_map_id, "code": "top"})
    await publish(app, zone_map_id)
    assert (await app.answer("admin", "check_place", HERE)).surcharge_minor == 200
    assert (await app.answer("admin", "check_place", {"lat": 43.6, "lng": -79.4})).surcharge_minor == 100


async def test_orders_in_no_go_zones_or_outside_all_service_areas_are_refused(app: App) -> None:
    async def closed(**place: float) -> str | None:
        return (await app.answer("admin", "check_place", place or HERE)).closed

    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "closed", geometry=make_square(-79.36, 43.64, 0.02), rule="no_go")
    await publish(app, zone_map_id)
    assert (await closed(), await closed(lat=0, lng=0)) == ("no_go", None)
    await put(app, zone_map_id, "all", rule="service_area")
    await publish(app, zone_map_id)
    assert (await closed(), await closed(lat=0, lng=0), await closed(lat=43.61, lng=-79.39)) == (
        *("no_go", "outside_service_area"),
        None,
    )
    await put(app, zone_map_id, "door", geometry=make_square(-79.351, 43.649, 0.002), rule="service_area", priority=1)
    await publish(app, zone_map_id)
    assert (await closed(), await closed(lat=43.655, lng=-79.355)) == (None, "no_go")


async def test_a_zone_has_the_fields_its_rule_requires(app: App) -> None:
    zone_map_id = await make_map(app)
    line = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
    for words, field in (
        ({"rule": "surcharge"}, ""),
        ({"rule": "driver_territory"}, ""),
        ({"rule": "no_go", "geometry": line}, ""),
        ({"geometry": {"type": "Point", "coordinates": [0, 0]}}, "geometry"),
        ({"geometry": make_square(-190, 0)}, "geometry"),
        ({"geometry": make_square(-180, -80, 160)}, "geometry"),
    ):
        asked = {"zone_map_id": zone_map_id, "code": "x", "name": "x", "geometry": make_square(0, 0), **words}
        result = await app.call("admin", "put_zone", asked)
        assert (result.status, [each["field"] for each in (result.error or {})["errors"]]) == (422, [field]), words


async def test_zones_can_be_imported_from_kml_and_exported_as_geojson(app: App) -> None:
    zone_map_id = await make_map(app)
    path, kml = f"/v1/zone-maps/imports?zone_map_id={zone_map_id}", "application/vnd.google-earth.kml+xml"
    done, outcomes = await import_and_read(app, path, KML.encode(), kml)
    assert (done.state, done.zone_map_id) == ("partly_done", zone_map_id)
    assert [(outcome.state, outcome.record) for outcome in outcomes] == [
        ("created", "north"),
        ("created", "The-ring-road"),
        ("refused", None),
    ]
    exported = (await app.rest("admin", "GET", f"/v1/zone-maps/{zone_map_id}/zones.geojson")).json()
    assert [feature["id"] for feature in exported["features"]] == ["The-ring-road", "north"]
    again, _ = await import_and_read(app, "/v1/zone-maps/imports?name=Copy", exported, "application/geo+json")
    assert (again.state, again.created) == ("done", 2)
    other = again.zone_map_id
    assert (await app.answer("admin", "get_zone_map", {"zone_map_id": other})).zone_map.name == "Copy"
    copied = (await app.rest("admin", "GET", f"/v1/zone-maps/{other}/zones.geojson")).json()
    assert copied == exported


async def test_a_duplicate_feature_is_imported_once(app: App) -> None:
    zone_map_id = await make_map(app)
    feature = {"type": "Feature", "id": "a", "properties": {"name": "A"}, "geometry": make_square(0, 0)}
    document = {"type": "FeatureCollection", "features": [feature, {**feature, "geometry": make_square(1, 1)}]}
    path = f"/v1/zone-maps/imports?zone_map_id={zone_map_id}"
    _, outcomes = await import_and_read(app, path, document, "application/geo+json")
    assert [outcome.state for outcome in outcomes] == ["created", "updated"]
    zone = (await app.answer("admin", "get_zone", {"zone_map_id": zone_map_id, "code": "a"})).zone
    assert list(zone.geometry["coordinates"][0][0]) == [1, 1]


async def test_a_single_feature_with_a_byte_order_mark_is_imported_as_one_zone(app: App) -> None:
    feature = {"type": "Feature", "id": "a", "properties": {"name": "A"}, "geometry": make_square(0, 0)}
    document = b"\xef\xbb\xbf" + json.dumps(feature).encode()
    done, outcomes = await import_and_read(app, "/v1/zone-maps/imports?name=One", document, "application/geo+json")
    assert (done.state, [(outcome.state, outcome.record) for outcome in outcomes]) == ("done", [("created", "a")])


async def test_zones_are_cached_until_new_ones_are_published(app: App) -> None:
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "a")
    await publish(app, zone_map_id)
    await codes_at(app)
    app.statements = 0
    await codes_at(app)
    known = app.statements
    for code in ("b", "c", "d"):
        await put(app, zone_map_id, code)
    await publish(app, zone_map_id)
    assert await codes_at(app) == ["a", "b", "c", "d"]
    app.statements = 0
    await codes_at(app)
    assert app.statements == known
