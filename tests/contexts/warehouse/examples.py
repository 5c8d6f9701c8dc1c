"""A valid request for each operation on warehouses, products and stock."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_warehouses": {},
    "get_warehouse": {"warehouse_id": "$warehouse_id"},
    "create_warehouse": {"code": "YUL", "name": "Montréal", "lat": 45.5, "lng": -73.6},
    "update_warehouse": {"warehouse_id": "$warehouse_id", "name": "Toronto East"},
    "list_locations": {"warehouse_id": "$warehouse_id", "zone": "A"},
    "create_locations": {
        "warehouse_id": "$warehouse_id",
        "locations": [{"code": "B-01", "zone": "B", "walk_order": 20}, {"code": "DOCK-2", "kind": "receiving"}],
    },
    "update_location": {"location_id": "$location_id", "blocked": True},
    "list_products": {"search": "MUG"},
    "get_product": {"product_id": "$product_id"},
    "create_product": {"sku": "PLATE", "name": "Plate", "barcodes": ["4012345678901"], "weight_g": 400},
    "update_product": {"product_id": "$product_id", "name": "Mug, dark blue", "reorder_below": 10},
    "get_inventory": {"warehouse_id": "$warehouse_id"},
    "list_stock_levels": {"warehouse_id": "$warehouse_id"},
    "list_stock_movements": {"warehouse_id": "$warehouse_id"},
    "receive_stock": {"lines": [{"sku": "CUP", "quantity": 12, "location_id": "$location_id"}], "reference": "DN-7"},
    "move_stock": {
        "lines": [
            {
                "sku": "CUP",
                "quantity": 2,
                "from_location_id": "$location_id",
                "to_location_id": "$other_location_id",
            }
        ]
    },
    "adjust_stock": {"location_id": "$location_id", "sku": "CUP", "change": -1, "reason": "damaged"},
    "reserve_stock": {
        "warehouse_id": "$warehouse_id",
        "reference": "A-1002",
        "lines": [{"sku": "CUP", "quantity": 3}],
    },
    "get_stock_reservation": {"warehouse_id": "$warehouse_id", "reference": "STOCK-1"},
    "release_stock_reservation": {"warehouse_id": "$warehouse_id", "reference": "STOCK-1"},
}
