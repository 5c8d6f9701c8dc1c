"""A valid request for each operation on warehouses, products and stock."""

from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64

CARTON: dict[str, object] = {
    "name": "Medium",
    "inner_length_mm": 300,
    "inner_width_mm": 250,
    "inner_height_mm": 200,
    "outer_length_mm": 308,
    "outer_width_mm": 258,
    "outer_height_mm": 208,
    "payload_g": 20_000,
}
TEAPOT = {"id": "teapot", "length_mm": 240, "width_mm": 160, "height_mm": 120, "weight_g": 900}
QUESTION: dict[str, object] = {
    "pieces": [TEAPOT],
    "carton_ids": ["$carton_id"],
}
ANSWER: dict[str, object] = {
    "cartons": ["$carton_id"],
    "placements": [{"piece": "teapot", "carton": 1, "x_mm": 0, "y_mm": 0, "z_mm": 0}],
}
COMMITTED: dict[str, object] = {**QUESTION, **ANSWER, "input_hash": "0" * 64, "order_id": "$order_id"}
LOAD_SPACE: dict[str, object] = {
    "name": "Van, long",
    "length_mm": 3400,
    "width_mm": 1700,
    "height_mm": 1900,
    "payload_g": 1_200_000,
}
WASHER = {"id": "washer", "length_mm": 600, "width_mm": 600, "height_mm": 850, "weight_g": 70_000}
LOAD_QUESTION: dict[str, object] = {"pieces": [WASHER], "load_space_ids": ["$load_space_id"]}
LOADED: dict[str, object] = {
    "spaces": ["$load_space_id"],
    "placements": [{"piece": "washer", "space": 1, "x_mm": 0, "y_mm": 0, "z_mm": 0}],
}
COMMITTED_LOAD: dict[str, object] = {**LOAD_QUESTION, **LOADED, "input_hash": "0" * 64, "route_id": "$load_route_id"}
EXAMPLES: dict[str, dict[str, object]] = {
    "get_warehouses": {},
    "get_warehouse": {"warehouse_id": "$warehouse_id"},
    "create_warehouse": {"code": "YUL", "name": "Montréal", "lat": 45.5, "lng": -73.6},
    "update_warehouse": {"warehouse_id": "$warehouse_id", "name": "Toronto East"},
    "list_locations": {"warehouse_id": "$warehouse_id", "zone": "A"},
    "print_location_labels": {"warehouse_id": "$warehouse_id", "format": "zpl"},
    "create_locations": {
        "warehouse_id": "$warehouse_id",
        "locations": [{"code": "B-01", "zone": "B", "walk_order": 20}, {"code": "DOCK-2", "kind": "receiving"}],
    },
    "update_location": {"location_id": "$location_id", "blocked": True},
    "list_products": {"search": "MUG"},
    "get_product": {"product_id": "$product_id"},
    "create_product": {"sku": "PLATE", "name": "Plate", "barcodes": ["4012345678901"], "weight_g": 400},
    "update_product": {"product_id": "$product_id", "name": "Mug, dark blue", "reorder_below": 10},
    "export_products": {},
    "import_products": {"format": "csv", "content": "sku,name\nPLATE,Plate\n"},
    "import_stock": {"format": "csv", "content": "sku,location,quantity\nCUP,WALL-1,12\n", "reference": "DN-8"},
    "list_stock_imports": {"kind": "products"},
    "get_stock_import": {"stock_import_id": "$stock_import_id"},
    "cancel_stock_import": {"stock_import_id": "$stock_import_id"},
    "get_abc_report": {"warehouse_id": "$warehouse_id"},
    "get_stock_age": {"warehouse_id": "$warehouse_id"},
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
    "list_stock_reservations": {"warehouse_id": "$warehouse_id", "sku": "CUP", "picked": False},
    "get_stock_reservation": {"warehouse_id": "$warehouse_id", "reference": "STOCK-1"},
    "release_stock_reservation": {"warehouse_id": "$warehouse_id", "reference": "STOCK-1"},
    "list_packages": {"warehouse_id": "$warehouse_id"},
    "get_package": {"number": "CRATE-1"},
    "list_transfers": {"from_warehouse_id": "$warehouse_id"},
    "get_transfer": {"transfer_id": "$transfer_id"},
    "list_transfer_packages": {"transfer_id": "$transfer_id"},
    "create_transfer": {
        "from_warehouse_id": "$warehouse_id",
        "to_warehouse_id": "$other_warehouse_id",
        "reason": "Sorted to the wrong city",
        "numbers": ["BOX-9"],
    },
    "scan_transfer_out": {"transfer_id": "$transfer_id", "numbers": ["BOX-2"]},
    "remove_transfer_packages": {"transfer_id": "$transfer_id", "numbers": ["CRATE-1"]},
    "dispatch_transfer": {"transfer_id": "$transfer_id"},
    "scan_transfer_in": {"transfer_id": "$sent_transfer_id", "numbers": ["CRATE-3"]},
    "report_transfer_discrepancy": {
        "transfer_id": "$sent_transfer_id",
        "kind": "damaged",
        "numbers": ["CRATE-3"],
        "reason": "Box is wet",
    },
    "complete_transfer": {"transfer_id": "$received_transfer_id"},
    "roll_back_transfer": {"transfer_id": "$sent_transfer_id", "reason": "Wrong truck"},
    "cancel_transfer": {"transfer_id": "$transfer_id"},
    "record_scan": {
        "device_id": "scanner-7",
        "scan_id": "scan-9",
        "kind": "receive",
        "code": "CUP",
        "warehouse_id": "$warehouse_id",
        "location": "WALL-1",
        "occurred_at": "2026-06-10T08:00:00Z",
    },
    "sync_scans": {
        "device_id": "scanner-7",
        "scans": [
            {
                "scan_id": "scan-10",
                "kind": "exception",
                "code": "CRATE-1",
                "warehouse_id": "$warehouse_id",
                "note": "Corner crushed",
                "occurred_at": "2026-06-10T08:00:00Z",
            }
        ],
    },
    "list_scans": {"warehouse_id": "$warehouse_id"},
    "expect_arrivals": {"warehouse_id": "$warehouse_id", "day": "2026-06-10", "numbers": ["CRATE-7"]},
    "cancel_arrivals": {"warehouse_id": "$warehouse_id", "day": "2026-06-01", "numbers": ["CRATE-8"]},
    "list_missing_arrivals": {"warehouse_id": "$warehouse_id"},
    "create_stock_advice": {
        "warehouse_id": "$warehouse_id",
        "reference": "PO-1001",
        "supplier": "Pottery Ltd.",
        "lines": [{"sku": "CUP", "quantity": 40}],
    },
    "list_stock_advices": {"warehouse_id": "$warehouse_id", "open": True},
    "get_stock_advice": {"advice_id": "$advice_id"},
    "receive_stock_advice": {
        "advice_id": "$advice_id",
        "lines": [{"sku": "CUP", "quantity": 1, "location_id": "$location_id"}],
        "accept_over": True,
    },
    "close_stock_advice": {"advice_id": "$advice_id"},
    "add_stock_advice_photo": {
        "advice_id": "$advice_id",
        "photo": {"content": EXAMPLE_PNG_BASE64, "media_type": "image/png", "name": "dent.png"},
    },
    "suggest_put_away": {"warehouse_id": "$warehouse_id", "sku": "CUP", "quantity": 12},
    "put_stock_away": {
        "warehouse_id": "$warehouse_id",
        "lines": [{"sku": "CUP", "quantity": 2, "from_location_id": "$location_id"}],
    },
    "create_stock_count": {"warehouse_id": "$warehouse_id", "location_ids": ["$other_location_id"]},
    "list_stock_counts": {"warehouse_id": "$warehouse_id", "state": "open"},
    "get_stock_count": {"count_id": "$count_id"},
    "record_stock_count": {
        "count_id": "$count_id",
        "lines": [{"location_id": "$location_id", "sku": "CUP", "quantity": 8}],
    },
    "finish_stock_count": {"count_id": "$count_id", "rest_is_gone": True},
    "recount_stock": {"count_id": "$done_count_id"},
    "approve_stock_count": {"count_id": "$done_count_id"},
    "reject_stock_count": {"count_id": "$count_id"},
    "create_pick_wave": {
        "warehouse_id": "$warehouse_id",
        "references": ["STOCK-1"],
        "staging_location_id": "$staging_location_id",
    },
    "cancel_pick_wave": {"wave_id": "$wave_id", "references": ["STOCK-1"]},
    "list_pick_waves": {"warehouse_id": "$warehouse_id", "open": True},
    "get_pick_wave": {"wave_id": "$wave_id"},
    "confirm_picks": {"wave_id": "$wave_id", "lines": [{"task_id": "$task_id", "quantity": 1}]},
    "pack_stock": {
        "warehouse_id": "$warehouse_id",
        "reference": "STOCK-3",
        "lines": [{"sku": "CUP", "quantity": 1}],
        "weight_g": 300,
    },
    "list_pick_packages": {"warehouse_id": "$warehouse_id"},
    "unpack_stock": {"pick_package_id": "$pick_package_id"},
    "ship_stock": {"warehouse_id": "$warehouse_id", "reference": "STOCK-3"},
    "get_load_check": {"route_id": "$route_id"},
    "scan_load": {"route_id": "$route_id", "barcodes": ["HL7XK2M9QA"]},
    "list_cartons": {},
    "get_carton": {"carton_id": "$carton_id"},
    "create_carton": {"code": "M1", **CARTON},
    "update_carton": {"carton_id": "$carton_id", **CARTON},
    "delete_carton": {"carton_id": "$other_carton_id"},
    "pack": QUESTION,
    "check_packing_plan": {**QUESTION, **ANSWER},
    "commit_packing_plan": COMMITTED,
    "list_packing_plans": {"order_id": "$order_id"},
    "get_packing_plan": {"plan_id": "$plan_id"},
    "get_packing_picture": {"plan_id": "$plan_id", "view": "layers"},
    "list_load_spaces": {},
    "get_load_space": {"load_space_id": "$load_space_id"},
    "create_load_space": {"code": "VAN-L", **LOAD_SPACE, "vehicle_ids": ["$vehicle_id"]},
    "update_load_space": {"load_space_id": "$load_space_id", **LOAD_SPACE},
    "delete_load_space": {"load_space_id": "$other_load_space_id"},
    "load": {**LOAD_QUESTION, "steps": 20},
    "check_load_plan": {**LOAD_QUESTION, **LOADED},
    "commit_load_plan": COMMITTED_LOAD,
    "list_load_plans": {"route_id": "$load_route_id"},
    "get_load_plan": {"load_plan_id": "$load_plan_id"},
    "get_load_picture": {"load_plan_id": "$load_plan_id", "view": "axles"},
}
