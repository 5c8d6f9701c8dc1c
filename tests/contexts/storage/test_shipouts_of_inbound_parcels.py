"""Ship-outs of inbound parcels: combined, split, reserved once, and shipped."""

import asyncio
from collections import Counter
from typing import Any

from tests.contexts.billing.ledger.makers import make_call
from tests.contexts.billing.services.makers import make_service
from tests.contexts.consolidation.makers import announced, parcel_now, received
from tests.contexts.storage.examples import HOME, PRICING
from tests.contexts.storage.makers import make_order, make_shelf, make_tariff, refusal, stored
from tests.support.app import App

from haulier.contexts.orders.events import OrderStatusChanged

WHERE = {"country": "CA", "postal_code": "M5V 2T6"}
MEASURES = {"weight_g": 1250, "length_mm": 300, "width_mm": 200, "height_mm": 100}


async def here(app: App, number: str, who: str = "customer", **words: Any) -> int:
    """A parcel that is here, weighed and measured, and a customer's; the id."""
    await announced(app, number, who)
    return (await received(app, number, **{**MEASURES, **words})).id


async def sending(app: App) -> None:
    await make_service(app, "send", "shipout", form=[], pricing=PRICING)


async def make_package(app: App) -> int:
    """A package of the customer in stock; the id."""
    await make_tariff(app)
    (package,) = await stored(app, (await make_order(app)).id, await make_shelf(app))
    return package


def sent(*parcels: dict[str, list[int]], **more: Any) -> dict[str, Any]:
    return {"service_code": "send", "parcels": list(parcels), "consignee": HOME, **more}


def inbound(*ids: int) -> dict[str, list[int]]:
    return {"inbound_parcel_ids": list(ids)}


async def states(app: App, *ids: int) -> list[str]:
    return [(await parcel_now(app, id)).state for id in ids]


async def test_parcels_can_be_combined_with_stored_packages_split_and_shipped_together(app: App) -> None:
    await sending(app)
    package, one, two = await make_package(app), await here(app, "A-1"), await here(app, "A-2", weight_g=900)
    wanted = sent({"package_ids": [package], "inbound_parcel_ids": [one]}, inbound(two))
    told = await app.answer("customer", "estimate_shipout", {**wanted, "consignee": WHERE})
    assert (told.parcels, told.weight_g, told.shipping_price) == (2, 12_000 + 1250 + 900, 1430)
    made = (await app.answer("customer", "create_shipout", {**wanted, "quote_id": told.quote_id})).shipout
    assert [(each.package_ids, each.inbound_parcel_ids, each.weight_g) for each in made.parcels] == [
        ([package], [one], 13_250),
        ([], [two], 900),
    ]
    assert [(each.id, each.tracking_number, each.state) for each in made.inbound_parcels] == [
        (one, "A-1", "consolidated"),
        (two, "A-2", "consolidated"),
    ]
    sure = (await app.answer("admin", "confirm_shipout", {"shipout_id": made.id})).shipout
    order = (await app.answer("customer", "get_order_detail", {"order_id": sure.order_id})).order
    assert [(each.weight_g, each.length_mm) for each in order.packages] == [(13_250, None), (900, 300)]
    gone = (await app.answer("admin", "ship_shipout", {"shipout_id": made.id})).shipout
    assert {each.state for each in (*gone.inbound_parcels, *gone.stored_packages)} == {"shipped"}
    assert await refusal(app, "customer", "create_shipout", sent(inbound(one))) == (409, "INBOUND_STEP_REFUSED")


async def test_a_cancelled_ship_out_releases_its_parcels(app: App) -> None:
    await sending(app)
    one, two = await here(app, "A-1"), await here(app, "A-2")
    made = (await app.answer("customer", "create_shipout", sent(inbound(one, two)))).shipout
    assert await states(app, one, two) == ["consolidated"] * 2
    off = (await app.answer("customer", "cancel_shipout", {"shipout_id": made.id}, confirmed=True)).shipout
    assert (off.inbound_parcels, off.parcels[0].inbound_parcel_ids) == ([], [one, two])
    assert await states(app, one, two) == ["matched"] * 2
    again = (await app.answer("customer", "create_shipout", sent(inbound(two), inbound(one)))).shipout
    assert [each.inbound_parcel_ids for each in again.parcels] == [[two], [one]]


async def test_of_concurrent_requests_for_a_parcel_one_succeeds(app: App) -> None:
    await sending(app)
    one, two, three = [await here(app, f"A-{n}") for n in range(3)]
    asked = [(one, two), (two, three), (three, one), (one,), (two,), (three,)]
    answers = await asyncio.gather(*(app.call("customer", "create_shipout", sent(inbound(*ids))) for ids in asked))
    assert {answer.error["code"] for answer in answers if answer.error} == {"INBOUND_STEP_REFUSED"}
    taken = Counter(id for answer, ids in zip(answers, asked, strict=True) if answer.status == 200 for id in ids)
    assert taken
    assert max(taken.values()) == 1
    assert await states(app, one, two, three) == [
        "consolidated" if taken[id] else "matched" for id in (one, two, three)
    ]


async def test_a_refused_parcel_reserves_nothing_else(app: App) -> None:
    await sending(app)
    package, own = await make_package(app), await here(app, "A-1")
    theirs, coming = await here(app, "B-1", "customer2"), (await announced(app, "A-2")).id
    unmeasured = await here(app, "A-3", height_mm=None)
    refusals = {
        theirs: (404, "NOT_FOUND"),
        999_999_999: (404, "NOT_FOUND"),
        coming: (409, "INBOUND_STEP_REFUSED"),
        unmeasured: (409, "INBOUND_PARCEL_NOT_MEASURED"),
    }
    for other, told in refusals.items():
        wanted = sent({"package_ids": [package], "inbound_parcel_ids": [own, other]})
        for operation in ("estimate_shipout", "create_shipout"):
            assert await refusal(app, "customer", operation, wanted) == told, other
    assert await states(app, own) == ["matched"]
    await received(app, "A-3", height_mm=100)
    assert (await app.call("customer", "create_shipout", sent(inbound(own, unmeasured)))).status == 200


async def test_empty_and_duplicate_values_are_reported_by_field(app: App) -> None:
    await sending(app)
    own = await here(app, "A-1")
    for parcels in ([{}], [inbound(own), inbound(own)], [inbound(*range(1, 202))]):
        answer = await app.call("customer", "create_shipout", sent(*parcels))
        assert answer.status == 422, parcels
        assert answer.error
        assert answer.error["errors"][0]["message"], parcels


async def test_an_estimate_is_valid_only_for_the_same_parcels(app: App) -> None:
    await sending(app)
    one, two = await here(app, "A-1"), await here(app, "A-2")
    told = await app.answer("customer", "estimate_shipout", sent(inbound(one)))
    other = {**sent(inbound(two)), "quote_id": told.quote_id}
    assert await refusal(app, "customer", "create_shipout", other) == (409, "SHIPOUT_QUOTE_MISMATCH")
    assert (
        await app.call("customer", "create_shipout", {**sent(inbound(one)), "quote_id": told.quote_id})
    ).status == 200


async def test_a_price_by_distance_starts_at_the_farthest_open_warehouse(app: App) -> None:
    await make_service(app, "send", "shipout", form=[], pricing={"per_km_minor": 100})
    own = await here(app, "A-1")
    away = {"country": "CA", "lat": 43.65, "lng": -79.38}
    wanted = {**sent(inbound(own)), "consignee": away}
    answer = await app.call("customer", "estimate_shipout", wanted)
    assert answer.error
    assert (answer.status, answer.error["errors"][0]["field"]) == (422, "consignee.lat")
    for code, lat in (("NEAR", 43.65), ("FAR", 44.65)):
        await app.answer("admin", "create_warehouse", {"code": code, "name": code, "lat": lat, "lng": -79.38})
    told = await app.answer("customer", "estimate_shipout", wanted)
    assert 11_000 < told.shipping_price < 11_300


async def test_parcels_follow_the_delivery_of_their_ship_out(app: App) -> None:
    await sending(app)
    own = await here(app, "A-1")
    made = (await app.answer("customer", "create_shipout", sent(inbound(own)))).shipout
    order_id = (await app.answer("admin", "confirm_shipout", {"shipout_id": made.id})).shipout.order_id
    for _ in range(2):
        async with make_call(app) as call:
            await call.publish(OrderStatusChanged(order_id=order_id, status="PICKED_UP", step="-"))
        await app.work_off()
    assert await states(app, own) == ["shipped"]
    assert (await app.answer("customer", "get_shipout", {"shipout_id": made.id})).shipout.status == "shipped"


async def test_statement_count_does_not_grow_with_the_parcels_of_a_ship_out(app: App) -> None:
    await sending(app)
    ids = [await here(app, f"A-{n}") for n in range(14)]
    counted = []
    for parcels in ([inbound(ids[0])], [inbound(*ids[1:7]), inbound(*ids[7:13])]):
        before = app.statements
        made = (await app.answer("customer", "create_shipout", sent(*parcels))).shipout
        created = app.statements
        await app.answer("customer", "list_shipouts")
        await app.answer("customer", "get_shipout", {"shipout_id": made.id})
        counted.append((created - before, app.statements - created))
    assert counted[0] == counted[1]
