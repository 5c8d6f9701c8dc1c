"""Errors of transfers in the wrong state, and of packages held elsewhere."""

from typing import Any

from tests.contexts.warehouse.makers import make_warehouse
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create transfers that are empty, packed and received, and a closed warehouse."""
    here, there, closed = await make_warehouse(app), await make_warehouse(app, "YUL"), await make_warehouse(app, "YYC")
    await app.answer("admin", "update_warehouse", {"warehouse_id": closed, "closed": True})
    way = {"from_warehouse_id": here, "to_warehouse_id": there}
    empty, draft, came = [
        (await app.answer("admin", "create_transfer", {**way, "numbers": numbers})).transfer.id
        for numbers in ([], ["BOX-1"], ["BOX-2"])
    ]
    await app.answer("admin", "dispatch_transfer", {"transfer_id": came})
    await app.answer("admin", "scan_transfer_in", {"transfer_id": came, "numbers": ["BOX-2"]})
    back = {"from_warehouse_id": there, "to_warehouse_id": here, "numbers": ["BOX-2"]}
    await app.answer("admin", "create_transfer", back)
    return {
        "warehouse": here,
        "other_hall": there,
        "closed_hall": closed,
        "transfer_empty": empty,
        "transfer_draft": draft,
        "transfer_came": came,
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    empty, draft, came = ({"transfer_id": ids[name]} for name in ("transfer_empty", "transfer_draft", "transfer_came"))
    way = {"from_warehouse_id": ids["warehouse"], "to_warehouse_id": ids["other_hall"]}
    held, reason = {"numbers": ["BOX-1"]}, {"reason": "x"}
    unknown = {"numbers": ["BOX-8"]}
    missing, extra = {"kind": "missing"}, {"kind": "extra"}
    return {
        ("create_transfer", "WAREHOUSE_CLOSED"): (
            "admin",
            {**way, "to_warehouse_id": ids["closed_hall"]},
        ),
        ("create_transfer", "PACKAGE_HELD"): ("admin", {**way, **held}),
        ("scan_transfer_out", "TRANSFER_STEP_REFUSED"): ("admin", {**came, **unknown}),
        ("scan_transfer_out", "PACKAGE_HELD"): ("admin", {**empty, **held}),
        ("remove_transfer_packages", "TRANSFER_STEP_REFUSED"): ("admin", {**came, **unknown}),
        ("remove_transfer_packages", "PACKAGE_NOT_IN_TRANSFER"): ("admin", {**draft, **unknown}),
        ("dispatch_transfer", "TRANSFER_STEP_REFUSED"): ("admin", came),
        ("dispatch_transfer", "TRANSFER_EMPTY"): ("admin", empty),
        ("scan_transfer_in", "TRANSFER_STEP_REFUSED"): ("admin", {**draft, **held}),
        ("scan_transfer_in", "PACKAGE_HELD"): ("admin", {**came, **held}),
        ("report_transfer_discrepancy", "TRANSFER_STEP_REFUSED"): ("admin", {**draft, **missing, **held}),
        ("report_transfer_discrepancy", "PACKAGE_NOT_IN_TRANSFER"): ("admin", {**came, **missing, **unknown}),
        ("report_transfer_discrepancy", "PACKAGE_HELD"): ("admin", {**came, **extra, **held}),
        ("complete_transfer", "TRANSFER_STEP_REFUSED"): ("admin", draft),
        ("roll_back_transfer", "TRANSFER_STEP_REFUSED"): ("admin", {**draft, **reason}),
        ("roll_back_transfer", "PACKAGE_MOVED_ON"): ("admin", {**came, **reason}),
        ("cancel_transfer", "TRANSFER_STEP_REFUSED"): ("admin", came),
    }
