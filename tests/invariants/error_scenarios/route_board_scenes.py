"""Errors of the route board: early, late, taken or full routes; refused drivers."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import START, App
from tests.support.transport import DAY, make_depot, make_driver, make_route, some_orders

from haulier.contexts.marketplace.route_board.rules import BoardAdmission
from haulier.contexts.marketplace.route_board.store import postings

LATER, PAST = "2026-06-10T16:00:00Z", "2026-06-10T13:00:00Z"
TERMS: dict[str, dict[str, Any]] = {
    "free": {"claims_per_day": 50},
    "greedy": {"claims_per_day": 1},
    "early": {"opens_at": LATER},
    "late": {"opens_at": "2026-06-09T13:00:00Z", "closes_at": PAST},
    "taken": {"claims_per_day": 50, "standby_max": 0},
    "bound": {"claims_per_day": 50, "opens_at": "2026-06-09T13:00:00Z", "withdraw_until": PAST},
    "going": {"claims_per_day": 50},
}
LINING_UP = ("claim_route", "stand_by_for_route")


async def scene(app: App) -> dict[str, Any]:
    """Create three claimed routes of Dan, one of them active, and one of Eve, blocked."""
    depot_id = await make_depot(app)
    dan, eve = await make_driver(app, user="driver"), await make_driver(app, user="driver2")
    words = {"depot_id": depot_id, "day": DAY}
    ids: dict[str, Any] = {"hers": await make_route(app, who="contractor"), "empty": await make_route(app, **words)}
    for name in ("driven", "over", "last"):
        ids[name] = await make_route(app, order_ids=await some_orders(app, 1), **words)
    await app.answer("admin", "assign_route_driver", {"route_id": ids["driven"], "driver_id": dan})
    for name, terms in TERMS.items():
        ids[name] = await make_route(app, order_ids=await some_orders(app, 1), **words)
        await app.answer("admin", "post_route_to_board", {"route_id": ids[name], **terms})
    await app.answer("admin", "cancel_route", {"route_id": ids["over"]})
    await app.answer("driver2", "claim_route", {"route_id": ids["taken"]})
    for name in ("bound", "going"):
        await app.answer("driver", "claim_route", {"route_id": ids[name]})
    await app.answer("driver", "start_route", {"route_id": ids["going"]})
    await app.answer("admin", "set_board_driver_rule", {"driver_id": eve, "blocked_until": LATER})
    return {**ids, "full": await _fill(app)}


async def _fill(app: App) -> bool:
    """Fill the route board to its limit."""
    one = {"day": START.date(), "opens_at": START, "claims_per_day": 1, "standby_max": 0, "posted_at": START}
    async with app.database.write(app.clients["demo"]) as work:
        many = [{**one, "admission": BoardAdmission(), "route_id": 10_000 + n} for n in range(1000)]
        await work.insert_many(postings, many)
    return True


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    found: dict[tuple[str, str], Any] = {
        ("post_route_to_board", "ROUTE_EMPTY"): ("admin", {"route_id": ids["empty"]}),
        ("post_route_to_board", "ROUTE_HAS_DRIVER"): ("admin", {"route_id": ids["driven"]}),
        ("post_route_to_board", "ROUTE_ON_BOARD"): ("admin", {"route_id": ids["free"]}),
        ("post_route_to_board", "BOARD_FULL"): ("admin", {"route_id": ids["last"]}),
        ("claim_route", "ROUTE_TAKEN"): ("driver", {"route_id": ids["taken"]}),
        ("claim_route", "STANDBY_FULL"): ("driver", {"route_id": ids["taken"], "stand_by": True}),
        ("stand_by_for_route", "STANDBY_FULL"): ("driver", {"route_id": ids["taken"]}),
        ("stand_by_for_route", "ROUTE_STILL_FREE"): ("driver", {"route_id": ids["free"]}),
        ("withdraw_from_route", "NO_CLAIM"): ("driver", {"route_id": ids["free"]}),
        ("withdraw_from_route", "WITHDRAW_TOO_LATE"): ("driver", {"route_id": ids["bound"]}),
        ("decline_route", "WITHDRAW_TOO_LATE"): ("driver", {"route_id": ids["bound"]}),
        ("withdraw_from_route", "ROUTE_CANNOT"): ("driver", {"route_id": ids["going"]}),
    }
    for name in ("post_route_to_board", "update_board_terms", "remove_route_from_board"):
        found[name, "ROUTE_CANNOT"] = ("admin", {"route_id": ids["over"]})
        found[name, "ROUTE_NOT_YOURS_TO_PLAN"] = ("admin", {"route_id": ids["hers"]})
    for name in LINING_UP:
        found[name, "BOARD_NOT_OPEN_YET"] = ("driver", {"route_id": ids["early"]})
        found[name, "BOARD_CLAIMS_OVER"] = ("driver", {"route_id": ids["late"]})
        found[name, "CLAIM_LIMIT_REACHED"] = ("driver", {"route_id": ids["greedy"]})
        found[name, "DRIVER_BLOCKED_FROM_BOARD"] = ("driver2", {"route_id": ids["free"]})
    return found
