"""A valid request for each operation on zone maps."""

_SQUARE = {
    "type": "Polygon",
    "coordinates": [[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.7], [-79.4, 43.6]]],
}
_OF_MAP: dict[str, object] = {"zone_map_id": "$zone_map_id"}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_zone_maps": {},
    "get_zone_map": _OF_MAP,
    "create_zone_map": {"name": "Surcharges"},
    "update_zone_map": {**_OF_MAP, "name": "Surcharges 2026"},
    "publish_zone_map": _OF_MAP,
    "roll_back_zone_map": {**_OF_MAP, "version": 0},
    "discard_zone_map_draft": _OF_MAP,
    "archive_zone_map": _OF_MAP,
    "list_zone_map_versions": _OF_MAP,
    "compare_zone_map_versions": {**_OF_MAP, "before": 0},
    "list_zones": _OF_MAP,
    "export_zones": _OF_MAP,
    "get_zone": {**_OF_MAP, "code": "north"},
    "put_zone": {**_OF_MAP, "code": "north", "name": "North", "geometry": _SQUARE},
    "remove_zone": {**_OF_MAP, "code": "north"},
    "import_zones": {
        "document": '{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": null}]}',
        "content_type": "application/geo+json",
    },
    "check_place": {"lat": 43.64, "lng": -79.38},
    "draw_zones": {},
}
