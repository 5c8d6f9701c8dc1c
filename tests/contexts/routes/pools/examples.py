"""One valid request for each operation of pools."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_contractor_rules": {"contractor_id": "$contractor_id"},
    "create_contractor_rule": {
        "contractor_id": "$contractor_id",
        "name": "Downtown parcels",
        "postal_prefixes": ["M5V", "M5H"],
        "order_types": ["D", "P2P"],
        "skills": ["tail_lift"],
        "max_weight_g": 30_000,
        "weekdays": [1, 2, 3, 4, 5],
    },
    "update_contractor_rule": {"rule_id": "$rule_id", "max_weight_g": None, "active": False},
    "delete_contractor_rule": {"rule_id": "$rule_id"},
    "planning_pool": {"contractor_id": "$contractor_id", "date_from": "2026-03-02", "date_to": "2026-03-06"},
}
