"""One valid request for each operation of the offline queue."""

EXAMPLES: dict[str, dict[str, object]] = {
    "sync_rider_events": {
        "events": [
            {
                "id": "device-1-start",
                "kind": "start",
                "occurred_at": "2026-06-10T09:00:00Z",
                "route_id": "$route_id",
            },
            {
                "id": "device-1-deliver",
                "kind": "deliver",
                "occurred_at": "2026-06-10T09:40:00Z",
                "route_id": "$route_id",
                "stop_id": "$stop_id",
                "recipient": "Ada",
                "photos": ["photo-0001"],
            },
        ],
        "sent_at": "2026-06-10T10:00:00Z",
    },
}
