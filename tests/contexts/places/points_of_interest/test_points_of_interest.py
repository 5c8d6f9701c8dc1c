"""Points of interest: writes, lists, search around a place, imports and exports."""

import random
from typing import Any

from tests.contexts.places.zone_makers import UNION, code_of, import_and_read, import_document, make_point, make_square
from tests.support.app import App

from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.xlsx import XLSX_TYPE, write_xlsx

HOURS: dict[str, Any] = {
    "time_zone": "America/Toronto",
    "weekly": [{"weekdays": [1, 2, 3, 4, 5], "opens": "08:00", "closes": "18:00"}],
    "exceptions": [{"day": "2026-12-25", "times": []}],
}


async def test_a_point_can_be_created_shown_updated_and_deleted(app: App) -> None:
    made = await make_point(
        app, opening_hours=HOURS, geometry=make_square(-79.39, 43.64), access_notes="Dock 4", reference="u1"
    )
    path = f"/v1/points-of-interest/{made.id}"
    shown = (await app.rest("driver", "GET", path)).json()["point_of_interest"]
    assert shown["opening_hours"] == HOURS
    assert (shown["access_notes"], shown["geometry"]["type"], shown["stop_radius_m"]) == ("Dock 4", "Polygon", 25)
    words = {"name": "Union", "category": "dock", "lat": 43.0, "lng": -79.0}
    changed = (await app.rest("admin", "PUT", path, words)).json()["point_of_interest"]
    assert (changed["name"], changed["category"], changed["opening_hours"], changed["reference"]) == (
        *("Union", "dock", None),
        None,
    )
    assert (await app.rest("rival", "GET", path)).status_code == 404
    assert (await app.rest("driver", "DELETE", path)).status_code == 403
    assert (await app.rest("admin", "DELETE", path)).status_code == 200
    assert (await app.rest("admin", "GET", path)).status_code == 404


async def test_a_reference_is_unique_to_one_point(app: App) -> None:
    await make_point(app, reference="u1")
    other = await make_point(app, reference="u2")
    place = {"name": "U", "category": "locker", "lat": 43.0, "lng": -79.0, "reference": "u1"}
    for operation, values in (
        ("create_point_of_interest", place),
        ("update_point_of_interest", {**place, "point_of_interest_id": other.id}),
    ):
        assert await code_of(app, "admin", operation, values) == "POINT_REFERENCE_TAKEN"
    await make_point(app, "rival", reference="u1")


async def test_a_list_is_paged_by_cursor_and_filtered_by_name_category_and_source(app: App) -> None:
    for name, category, source in (
        ("Été", "dock", "a"),
        ("Eton", "dock", "b"),
        ("Bay", "fuel", "a"),
        ("etage", "fuel", None),
    ):
        await make_point(app, name=name, category=category, source=source)

    async def names(**filters: Any) -> list[str]:
        found: list[str] = []
        cursor = {}
        while True:
            page = await app.answer("admin", "list_points_of_interest", {"per_page": 1, **filters, **cursor})
            found += [point.name for point in page.points_of_interest]
            if page.next_cursor is None:
                return found
            cursor = {"cursor": page.next_cursor}

    assert await names() == ["Bay", "etage", "Été", "Eton"]
    assert await names(search="ET") == ["etage", "Été", "Eton"]
    assert await names(category="dock", search="et") == ["Été", "Eton"]
    assert await names(source="a") == ["Bay", "Été"]
    assert await names(source="a", category="dock") == ["Été"]
    categories = await app.answer("admin", "list_point_of_interest_categories")
    assert categories.categories == ["dock", "fuel"]


async def test_the_nearest_points_are_found_anywhere_in_order_of_distance(app: App) -> None:
    around = random.Random(17)
    spots = [(43.6 + around.gauss(0, 0.3), -79.4 + around.gauss(0, 0.3)) for _ in range(60)]
    spots += [(-17.8, 179.99), (-17.8, -179.98), (89.9, 10.0), (-90.0, 0.0), (0.0, 180.0)]
    ids = {}
    for at, (lat, lng) in enumerate(spots):
        ids[(await make_point(app, lat=lat, lng=lng, category="even" if at % 2 == 0 else "odd")).id] = at
    for asked in ((43.6, -79.4), (-17.8, -179.999), (89.9, -170.0), (-90.0, 0.0), (0.0, 0.0)):
        for category, radius_m, limit in ((None, 20_100_000, 7), ("odd", 20_100_000, 40), (None, 30_000, 200)):
            words: dict[str, Any] = {"lat": asked[0], "lng": asked[1], "radius_m": radius_m, "limit": limit}
            words |= {"category": category} if category else {}
            found = (await app.answer("admin", "find_nearby_points_of_interest", words)).points_of_interest
            distances = sorted(
                great_circle_m(asked, spot) for at, spot in enumerate(spots) if category is None or at % 2 == 1
            )
            expected = [round(distance) for distance in distances if distance <= radius_m][:limit]
            assert [point.distance_m for point in found] == expected, (asked, category, radius_m)


async def test_a_search_uses_a_constant_number_of_statements(app: App) -> None:
    counted = []
    for more in (1, 30):
        for step in range(more):
            await make_point(app, lat=UNION[0] + step / 5_000)
        app.statements = 0
        await app.answer("admin", "find_nearby_points_of_interest", {"lat": UNION[0], "lng": UNION[1], "limit": 1})
        await app.answer("admin", "list_points_of_interest", {"search": "un"})
        counted.append(app.statements)
    assert counted[1] <= counted[0]


async def test_invalid_places_are_refused_by_field(app: App) -> None:
    crossing = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
    open_ring = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]}
    faults = {
        "geometry": [
            crossing,
            open_ring,
            {"type": "Point", "coordinates": [0, 0]},
            {"type": "Polygon", "coordinates": []},
        ],
        "opening_hours.time_zone": [{"time_zone": "Mars/Base", "weekly": []}],
        "opening_hours": ["sunrise-sunset"],
        "lat": [91],
    }
    for path, values in faults.items():
        for value in values:
            name = path.partition(".")[0]
            words = {"name": "U", "category": "locker", "lat": 43.0, "lng": -79.0, name: value}
            error = (await app.call("admin", "create_point_of_interest", words)).error or {}
            assert [each["field"] for each in error["errors"]] == [path], (path, value)


async def test_polygon_rings_are_oriented_as_geojson_requires(app: App) -> None:
    square = make_square(-79.4, 43.6)
    clockwise = {**square, "coordinates": [square["coordinates"][0][::-1]]}
    shown = (await make_point(app, geometry=clockwise)).geometry["coordinates"][0]
    assert [tuple(corner) for corner in shown] == [tuple(corner) for corner in square["coordinates"][0]]


async def test_an_export_can_be_imported_unchanged(app: App) -> None:
    await make_point(
        app, opening_hours=HOURS, geometry=make_square(-79.39, 43.64), reference="u1", access_notes="Dock 4"
    )
    document = (await app.rest("admin", "GET", "/v1/points-of-interest.geojson")).json()
    before = await app.answer("admin", "list_points_of_interest")
    path = "/v1/points-of-interest/imports"
    done, outcomes = await import_and_read(app, path, document, "application/geo+json")
    assert (done.state, done.updated, [outcome.state for outcome in outcomes]) == ("done", 1, ["updated"])
    after = await app.answer("admin", "list_points_of_interest")
    assert after.points_of_interest == before.points_of_interest


async def test_an_import_reports_the_outcome_of_each_row(app: App) -> None:
    await make_point(app, reference="u1")
    rows = "\r\n".join(
        [
            "Name;Category;lat;lng;reference;opening_hours",
            'Union;dock;43.6;-79.4;u1;"Mo-Fr 08:00-12:00,13:00-17:00; Sa off"',
            "Bay;dock;43.7;-79.4;;24/7",
            "Nowhere;dock;143.7;-79.4;;",
            "Late;dock;43.7;-79.4;;when the sun is up",
        ]
    )
    done, outcomes = await import_and_read(app, "/v1/points-of-interest/imports", rows.encode(), "text/csv")
    assert (done.state, done.done, done.created, done.updated, done.refused) == ("partly_done", 4, 1, 1, 2)
    assert [outcome.state for outcome in outcomes] == ["updated", "created", "refused", "refused"]
    assert [error.field for outcome in outcomes for error in outcome.errors] == ["lat", "opening_hours"]
    refused = await app.answer("admin", "get_place_import", {"place_import_id": done.id, "state": "refused"})
    assert [outcome.name for outcome in refused.outcomes] == ["Nowhere", "Late"]
    assert [one.id for one in (await app.answer("admin", "list_place_imports")).imports] == [done.id]
    listed = (await app.answer("admin", "list_points_of_interest")).points_of_interest
    assert [(point.name, len(point.opening_hours.weekly)) for point in listed] == [("Bay", 7), ("Union", 10)]


async def test_an_unreadable_document_is_refused_as_a_whole(app: App) -> None:
    bomb = b'<!DOCTYPE k [<!ENTITY a "aaaa">]><kml><Placemark><name>&a;</name></Placemark></kml>'
    path = "/v1/points-of-interest/imports"
    for media_type, document in (
        ("application/geo+json", b"{"),
        ("application/geo+json", b'{"type": "Point"}'),
        ("text/csv", b"name,category\n1,2,3\n"),
        ("text/csv", b"\xff\xfe"),
        ("application/vnd.google-earth.kml+xml", bomb),
    ):
        answer = await import_document(app, path, document, media_type)
        assert (answer.status_code, answer.json()["code"]) == (400, "IMPORT_UNREADABLE"), document
    many = b"name\n" + b"a\n" * 20_001
    assert (await import_document(app, path, many, "text/csv")).json()["code"] == "IMPORT_TOO_LONG"


async def test_an_import_can_set_defaults_for_missing_values(app: App) -> None:
    path = "/v1/points-of-interest/imports?category=fuel&source=Chain"
    done, _ = await import_and_read(app, path, b"name,lat,lng\nBay,43.7,-79.4\n", "text/csv")
    assert done.state == "done"
    (point,) = (await app.answer("admin", "list_points_of_interest")).points_of_interest
    assert (point.category, point.source) == ("fuel", "Chain")


async def test_an_import_can_be_cancelled_before_writing(app: App) -> None:
    document = b"name,category,lat,lng\nBay,dock,43.7,-79.4\n"
    started = (await import_document(app, "/v1/points-of-interest/imports", document, "text/csv")).json()
    of_it = {"place_import_id": started["place_import_id"]}
    await app.answer("admin", "cancel_place_import", of_it)
    await app.work_off()
    done = await app.answer("admin", "get_place_import", of_it)
    assert (done.place_import.state, done.outcomes[0].state) == ("cancelled", "cancelled")
    assert (await app.answer("admin", "list_points_of_interest")).points_of_interest == []
    assert await code_of(app, "admin", "cancel_place_import", of_it) == "PLACE_IMPORT_IS_OVER"


async def test_outcomes_are_kept_for_thirty_days(app: App) -> None:
    path, document = "/v1/points-of-interest/imports", b"name,category,lat,lng\nBay,dock,43.7,-79.4\n"
    old, _ = await import_and_read(app, path, document, "text/csv")
    app.clock.forward(days=31)
    new, _ = await import_and_read(app, path, document, "text/csv")
    assert [one.id for one in (await app.answer("admin", "list_place_imports")).imports] == [new.id]
    assert (await app.call("admin", "get_place_import", {"place_import_id": old.id})).status == 404


async def test_an_excel_file_is_imported_like_a_csv(app: App) -> None:
    rows = [["Bay", "dock", 43.7, -79.4], ["Nowhere", "dock", 143.7, -79.4]]
    document = write_xlsx(["Name", "Category", "lat", "lng"], rows)
    done, outcomes = await import_and_read(app, "/v1/points-of-interest/imports", document, XLSX_TYPE)
    assert (done.state, [outcome.state for outcome in outcomes]) == ("partly_done", ["created", "refused"])
