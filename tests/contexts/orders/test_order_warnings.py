"""Warnings about new orders, which are no errors."""

from base64 import b64encode
from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_contact

ODD: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "nothing": ({"consignee": make_contact(), "scheduled_date": "2026-06-10"}, []),
    "no coordinates": ({"consignee": ADDRESS}, [("consignee", "NO_COORDINATES")]),
    "a sender without coordinates": (
        {"type": "P2P", "shipper": ADDRESS, "consignee": make_contact()},
        [("shipper", "NO_COORDINATES")],
    ),
    "the sender of a delivery is not visited": ({"shipper": ADDRESS, "consignee": make_contact()}, []),
    "a name that labels cannot show": (
        {"consignee": make_contact(name="Ana 😀")},
        [("consignee", "NOT_PRINTABLE")],
    ),
    "coordinates that are zero": (
        {"consignee": make_contact(lat=0, lng=0)},
        [("consignee", "COORDINATES_ZERO")],
    ),
    "coordinates that are swapped": (
        {"consignee": make_contact(lat=-79.38, lng=43.65)},
        [("consignee", "COORDINATES_SWAPPED")],
    ),
    "a sign that is lost": (
        {"consignee": make_contact(lat=43.65, lng=79.38)},
        [("consignee", "COORDINATES_SIGN_LOST")],
    ),
    "another continent": (
        {"consignee": make_contact(lat=48.86, lng=2.35)},
        [("consignee", "COORDINATES_FAR_FROM_COUNTRY")],
    ),
    "a P.O. box": ({"consignee": make_contact(address="PO Box 12")}, [("consignee", "PO_BOX")]),
    "a military address": (
        {"consignee": make_contact(address="PSC 3 Box 12", city="APO", region="AE", postal_code="09021", country="US")},
        [("consignee", "MILITARY_ADDRESS")],
    ),
    "a P.O. box for a carrier": (
        {"consignee": make_contact(address="PO Box 12"), "fulfilment": "carrier"},
        [],
    ),
    "names in any supported script": ({"consignee": make_contact(name="김민수 محمد สมชาย Nguye\u0302\u0303n")}, []),
    "a day outside its window": (
        {
            "consignee": make_contact(),
            "scheduled_date": "2026-06-12",
            "window_start": "2026-06-11T09:00:00-04:00",
            "window_end": "2026-06-11T23:59:00-04:00",
        },
        [("scheduled_date", "DAY_OUTSIDE_WINDOW")],
    ),
    "a day that is over": (
        {"consignee": make_contact(), "scheduled_date": "2026-06-09"},
        [("scheduled_date", "DAY_PAST")],
    ),
    "a window that is over": (
        {"consignee": make_contact(), "window_end": "2026-06-10T13:59:00Z"},
        [("window_end", "WINDOW_PAST")],
    ),
}


def told(warnings: list[Any]) -> list[tuple[str, str]]:
    return [(warning.field, warning.code) for warning in warnings]


async def test_each_unusual_value_gives_a_warning_with_the_created_order(app: App) -> None:
    for name, (asked, expected) in ODD.items():
        created = await app.answer("admin", "create_order", asked)
        assert told(created.warnings) == expected, name
        assert all(warning.message for warning in created.warnings)
    bulk = await app.answer("admin", "bulk_create_orders", {"orders": [asked for asked, _ in ODD.values()]})
    assert [told(outcome.warnings) for outcome in bulk.outcomes] == [expected for _, expected in ODD.values()]


async def test_rerouting_to_an_address_without_coordinates_gives_a_warning(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": make_contact()})).order
    rerouted = await app.answer("admin", "reroute_to_address", {"order_id": order.id, "address": ADDRESS})
    assert told(rerouted.warnings) == [("consignee", "NO_COORDINATES")]


async def test_an_address_far_from_every_depot_gives_a_warning_with_the_distance(app: App) -> None:
    order = {"consignee": make_contact(lat=49.28, lng=-123.12)}
    assert told((await app.answer("admin", "create_order", order)).warnings) == []
    await app.answer("admin", "create_depot", {"name": "Toronto", "address": "1 Front St", "lat": 43.64, "lng": -79.38})
    (warning,) = (await app.answer("admin", "create_order", order)).warnings
    assert warning.code == "COORDINATES_FAR_FROM_DEPOTS"
    assert warning.message.startswith("The coordinates 49.28, -123.12 are 33")


async def test_an_import_preview_warns_about_unusual_rows(app: App) -> None:
    table = (
        "order_ref,name,address,city,country,lat,lng\n"
        "1,Ada,1 Front St,Toronto,CA,43.65,-79.38\n"
        "2,Bob,2 Front St,Toronto,CA,-79.38,43.65\n"
        "3,Eve,PO Box 3,Toronto,CA,,\n"
    )
    checked = await app.answer("admin", "check_order_file", {"document": b64encode(table.encode()).decode()})
    odd = [(each.number, each.field, each.code) for each in checked.warnings]
    assert odd == [(2, "consignee", "COORDINATES_SWAPPED"), (3, "consignee", "PO_BOX")]


async def test_quotes_and_the_address_book_warn_about_unusual_coordinates(app: App) -> None:
    swapped = {**ADDRESS, "lat": -79.38, "lng": 43.65}
    quoted = await app.answer("admin", "quote_delivery", {"consignee": {**ADDRESS, "lat": 0, "lng": 0}})
    assert told(quoted.warnings) == [("consignee", "COORDINATES_ZERO")]
    stored = await app.answer("admin", "create_address", swapped)
    assert ("lat", "coordinates_swapped") in told(stored.warnings)
