"""What is odd about a new order is said beside it, and is no error."""

from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import a_contact

ODD: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "nothing": ({"consignee": a_contact(), "scheduled_date": "2026-06-10"}, []),
    "no coordinates": ({"consignee": ADDRESS}, [("consignee", "NO_COORDINATES")]),
    "a sender without coordinates": (
        {"type": "P2P", "shipper": ADDRESS, "consignee": a_contact()},
        [("shipper", "NO_COORDINATES")],
    ),
    "the sender of a delivery is not visited": ({"shipper": ADDRESS, "consignee": a_contact()}, []),
    "a name that labels cannot show": (
        {"consignee": a_contact(name="Ana 😀")},
        [("consignee", "NOT_PRINTABLE")],
    ),
    "names in any supported script": ({"consignee": a_contact(name="김민수 محمد สมชาย Nguye\u0302\u0303n")}, []),
    "a day outside its window": (
        {
            "consignee": a_contact(),
            "scheduled_date": "2026-06-12",
            "window_start": "2026-06-11T09:00:00-04:00",
            "window_end": "2026-06-11T23:59:00-04:00",
        },
        [("scheduled_date", "DAY_OUTSIDE_WINDOW")],
    ),
    "a day that is over": (
        {"consignee": a_contact(), "scheduled_date": "2026-06-09"},
        [("scheduled_date", "DAY_PAST")],
    ),
    "a window that is over": (
        {"consignee": a_contact(), "window_end": "2026-06-10T13:59:00Z"},
        [("window_end", "WINDOW_PAST")],
    ),
}


def told(warnings: list[Any]) -> list[tuple[str, str]]:
    return [(warning.field, warning.code) for warning in warnings]


async def test_each_oddity_is_named_beside_the_order_that_was_created(app: App) -> None:
    for name, (asked, expected) in ODD.items():
        created = await app.answer("admin", "create_order", asked)
        assert told(created.warnings) == expected, name
        assert all(warning.message for warning in created.warnings)
    bulk = await app.answer("admin", "bulk_create_orders", {"orders": [asked for asked, _ in ODD.values()]})
    assert [told(outcome.warnings) for outcome in bulk.outcomes] == [expected for _, expected in ODD.values()]


async def test_a_reroute_to_an_address_without_coordinates_is_warned_of(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": a_contact()})).order
    rerouted = await app.answer("admin", "reroute_to_address", {"order_id": order.id, "address": ADDRESS})
    assert told(rerouted.warnings) == [("consignee", "NO_COORDINATES")]
