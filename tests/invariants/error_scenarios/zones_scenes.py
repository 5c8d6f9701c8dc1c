"""Errors of zones and places: missing places, archived maps, unreadable documents."""

from typing import Any

from tests.contexts.places.map_regions.examples import TOWN
from tests.invariants.business_regions import map_regions
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

PLACE = {"name": "Bay", "category": "fuel", "lat": 43.6, "lng": -79.3}
SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
TOO_LONG = {"": '{"type": "FeatureCollection", "features": [' + "{}," * 20_000 + "{}]}"}


async def scene(app: App) -> dict[str, Any]:
    """Create places with and without a reference, a cancelled import, and two maps.

    One map has no zones, and the other is archived.
    """
    await app.answer("admin", "create_point_of_interest", {**PLACE, "reference": "taken"})
    other = (await app.answer("admin", "create_point_of_interest", PLACE)).point_of_interest.id
    rows = {"type": "FeatureCollection", "features": [{}]}
    over = (await app.answer("admin", "import_points_of_interest", rows)).place_import_id
    await app.answer("admin", "cancel_place_import", {"place_import_id": over})
    maps = [(await app.answer("admin", "create_zone_map", {"name": name})).zone_map.id for name in ("new", "old")]
    await app.answer("admin", "archive_zone_map", {"zone_map_id": maps[1]})
    await map_regions(app)
    stopped = (await app.answer("admin", "remove_map_region", {"region": "installed"}, confirmed=True)).task.id
    await app.answer("admin", "cancel_map_region_task", {"map_region_task_id": stopped})
    asked = {"path": str(TOWN), "region": "again"}
    await app.answer("admin", "install_map_region", asked, confirmed=True)
    return {"other": other, "over": over, "new": maps[0], "old": maps[1], "stopped": stopped}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    taken, old = {**PLACE, "reference": "taken"}, {"zone_map_id": ids["old"]}
    zone = {"code": "a", "name": "a", "geometry": SQUARE}
    return {
        ("create_point_of_interest", "POINT_REFERENCE_TAKEN"): ("admin", taken),
        ("update_point_of_interest", "POINT_REFERENCE_TAKEN"): (
            "admin",
            {**taken, "point_of_interest_id": ids["other"]},
        ),
        ("import_points_of_interest", "IMPORT_UNREADABLE"): ("admin", {}),
        ("import_points_of_interest", "IMPORT_TOO_LONG"): ("admin", TOO_LONG),
        ("import_zones", "IMPORT_UNREADABLE"): ("admin", {}),
        ("import_zones", "IMPORT_TOO_LONG"): ("admin", TOO_LONG),
        ("import_zones", "ZONE_MAP_ARCHIVED"): (
            "admin",
            {**old, "": '{"type": "FeatureCollection", "features": [{}]}'},
        ),
        ("import_zones", "NOT_FOUND"): (
            "admin",
            {"zone_map_id": 10**9, "": '{"type": "FeatureCollection", "features": [{}]}'},
        ),
        ("cancel_place_import", "PLACE_IMPORT_IS_OVER"): ("admin", {"place_import_id": ids["over"]}),
        **{
            (name, "MAP_REGIONS_FOR_OPERATORS"): ("rival", values)
            for name, values in (
                ("install_map_region", {"path": str(TOWN)}),
                ("remove_map_region", {"region": "installed"}),
                ("cancel_map_region_task", {"map_region_task_id": 1}),
            )
        },
        ("install_map_region", "MAP_REGION_BUSY"): ("admin", {"path": str(TOWN), "region": "started"}),
        ("install_map_region", "MAP_REGION_PACKAGED"): ("admin", {"region": "packaged"}),
        ("remove_map_region", "MAP_REGION_BUSY"): ("admin", {"region": "again"}),
        ("remove_map_region", "MAP_REGION_PACKAGED"): ("admin", {"region": "packaged"}),
        ("cancel_map_region_task", "MAP_REGION_TASK_OVER"): ("admin", {"map_region_task_id": ids["stopped"]}),
        ("publish_zone_map", "ZONE_MAP_UNCHANGED"): ("admin", {"zone_map_id": ids["new"]}),
        ("publish_zone_map", "ZONE_MAP_ARCHIVED"): ("admin", old),
        ("update_zone_map", "ZONE_MAP_ARCHIVED"): ("admin", {**old, "name": "x"}),
        ("roll_back_zone_map", "ZONE_MAP_ARCHIVED"): ("admin", {**old, "version": 0}),
        ("discard_zone_map_draft", "ZONE_MAP_ARCHIVED"): ("admin", old),
        ("archive_zone_map", "ZONE_MAP_ARCHIVED"): ("admin", old),
        ("put_zone", "ZONE_MAP_ARCHIVED"): ("admin", {**old, **zone}),
        ("remove_zone", "ZONE_MAP_ARCHIVED"): ("admin", {**old, "code": "a"}),
    }
