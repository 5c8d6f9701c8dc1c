"""A valid request for each operation on points of interest and imports."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_points_of_interest": {"search": "union"},
    "export_points_of_interest": {"category": "locker"},
    "list_point_of_interest_categories": {},
    "find_nearby_points_of_interest": {"lat": 43.64, "lng": -79.38},
    "get_point_of_interest": {"point_of_interest_id": "$point_of_interest_id"},
    "create_point_of_interest": {"name": "Union lockers", "category": "locker", "lat": 43.64, "lng": -79.38},
    "update_point_of_interest": {
        "point_of_interest_id": "$point_of_interest_id",
        "name": "Union lockers",
        "category": "locker",
        "lat": 43.64,
        "lng": -79.38,
    },
    "delete_point_of_interest": {"point_of_interest_id": "$point_of_interest_id"},
    "import_points_of_interest": {
        "document": '{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": null}]}',
        "content_type": "application/geo+json",
    },
    "list_place_imports": {},
    "get_place_import": {"place_import_id": "$place_import_id"},
    "cancel_place_import": {"place_import_id": "$place_import_id"},
}
