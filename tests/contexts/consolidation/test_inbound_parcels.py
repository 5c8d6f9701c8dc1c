"""Inbound parcels are announced, received and matched; repeats are ignored."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.contexts.consolidation.examples import PHOTO
from tests.contexts.consolidation.makers import NUMBER, announced, make_suite, parcel_now, pushed, queue, received
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.shipping.makers import buy, make_parcelo_account
from tests.contexts.tracking.ingest.requests import read_timeline, status_codes
from tests.support.app import App

from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.jobs import check_unclaimed_parcels
from haulier.contexts.shipping.ports import CarrierEvent


async def test_an_announced_parcel_is_updated_by_carrier_pushes_and_matched_on_receipt(app: App) -> None:
    parcel = await announced(app, contents="Shoes", declared_value=12900, declared_currency="CAD")
    assert (parcel.state, parcel.customer_id, parcel.matched_by) == ("expected", app.ids["customer"], "announced")
    await pushed(app, "in_transit", "out_for_delivery", "delivered", number="1z999 aa1 0123 456784")
    moved = await parcel_now(app, parcel.id, "customer")
    assert (moved.state, moved.carrier_status) == ("in_transit", "delivered")
    assert status_codes(await read_timeline(app, NUMBER, "customer")) == ["in_transit", "out_for_delivery", "delivered"]
    assert (await read_timeline(app, NUMBER, "customer2")).get("events", []) == []
    size = {"weight_g": 1250, "length_mm": 300, "width_mm": 200, "height_mm": 100}
    here = await received(app, "1Z 999AA10123456784", **size, photo=PHOTO)
    assert (here.id, here.state, here.customer_id, here.weight_g) == (parcel.id, "matched", app.ids["customer"], 1250)
    assert here.arrived_at == app.clock.now
    photo = await app.call("customer", "get_file", {"file_id": here.photo_id})
    assert photo.status == 200
    assert (await app.call("customer2", "get_file", {"file_id": here.photo_id})).status == 404
    assert await queue(app) == []


async def test_of_carrier_events_in_the_same_minute_the_later_step_wins_in_any_order(app: App) -> None:
    for number, codes in (("P1", ("in_transit", "out_for_delivery")), ("P2", ("out_for_delivery", "in_transit"))):
        parcel = await announced(app, number)
        for code in codes:
            await pushed(app, code, number=number)
        assert (await parcel_now(app, parcel.id)).carrier_status == "out_for_delivery"


async def test_a_repeated_event_changes_nothing(app: App) -> None:
    first = await announced(app, contents="Shoes")
    again = await app.answer("customer", "create_pre_alert", {"tracking_number": NUMBER.lower(), "contents": "Hats"})
    assert (again.existing, again.parcel.id, again.parcel.contents) == (True, first.id, "Shoes")
    await pushed(app, "in_transit")
    await pushed(app, "in_transit")
    here = await received(app, weight_g=900)
    app.clock.forward(hours=1)
    answer = await app.answer(
        "admin", "receive_inbound_parcel", {"tracking_number": NUMBER, "weight_g": 1, "length_mm": 200}
    )
    assert (answer.existing, answer.parcel.weight_g, answer.parcel.length_mm) == (True, 900, 200)
    assert answer.parcel.arrived_at == here.arrived_at
    assert (await app.answer("admin", "list_inbound_parcels")).total == 1


async def test_a_parcel_is_matched_by_the_suite_on_its_label(app: App) -> None:
    await make_suite(app, "TOR-1042")
    await make_suite(app, "TOR-7", "customer2")
    labels = {
        "P1": ("Ada Lovelace, tor 1042, 1 Front St", app.ids["customer"]),
        "P2": ("ADA LOVELACE #TOR1042", app.ids["customer"]),
        "P3": ("Bob, TOR-7, 1 Front St, Toronto K1A 0A1", app.ids["customer2"]),
        "P4": ("Ada TOR-1042 c/o Bob TOR-7", None),
        "P5": ("Ada, 1042 Front St", None),
    }
    found = {number: (await received(app, number, label_text=text)).customer_id for number, (text, _) in labels.items()}
    assert found == {number: customer for number, (_, customer) in labels.items()}
    assert sorted(await queue(app)) == ["P4", "P5"]
    named = await received(app, "P6", suite="tor1042")
    assert (named.customer_id, named.matched_by, named.state) == (app.ids["customer"], "suite", "matched")


async def test_a_push_with_a_suite_in_the_consignee_name_is_accepted(app: App) -> None:
    await make_suite(app, "TOR-1042")
    await pushed(app, "in_transit", number="N-1", extensions={"consignee": "Ada Lovelace / TOR-1042"})
    await pushed(app, "in_transit", number="N-2", extensions={"consignee": "Ada Lovelace"})
    (parcel,) = (await app.answer("customer", "list_inbound_parcels")).parcels
    assert (parcel.tracking_number, parcel.state, parcel.matched_by) == ("N-1", "in_transit", "suite")
    assert (await app.answer("admin", "list_inbound_parcels")).total == 1


async def test_two_concurrent_first_events_of_a_parcel_both_count(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_suite(app, "TOR-1042")
    await app.answer("admin", "set_consolidation_policy", {"queue_unannounced": True})
    await pushed(app, "in_transit", number="N-1")
    known, looked = store.list_parcels_of_keys, list[int]()

    async def not_yet(*given: Any, **how: Any) -> Any:
        looked.append(1)
        return {} if len(looked) == 1 else await known(*given, **how)

    monkeypatch.setattr(store, "list_parcels_of_keys", not_yet)
    await pushed(app, "arrival_scan", "out_for_delivery", number="N-1", extensions={"consignee": "Ada / TOR-1042"})
    (parcel,) = (await app.answer("customer", "list_inbound_parcels")).parcels
    assert (parcel.carrier_status, parcel.matched_by) == ("out_for_delivery", "suite")


async def test_events_of_unannounced_parcels_are_queued_if_the_policy_allows(app: App) -> None:
    await make_parcelo_account(app)
    ours = await buy(app)
    order = {"consignee": {"name": "Ada", "address": "1 Front St", "city": "Toronto", "country": "CA"}}
    ordered = (await app.answer("admin", "create_order", order)).order
    await pushed(app, "in_transit", number="BEFORE")
    await app.answer("admin", "set_consolidation_policy", {"queue_unannounced": True})
    for number in ("N-1", ours.tracking_number, ordered.tracking_number):
        await pushed(app, "in_transit", number=number)
    await pushed(app, "label_created", number="N-2")
    assert await queue(app) == ["N-1"]
    claimed = await announced(app, "N-1", contents="Shoes")
    assert (claimed.state, claimed.matched_by, claimed.contents) == ("in_transit", "number", "Shoes")
    assert await queue(app) == []


async def test_staff_can_assign_a_parcel_to_a_customer_and_undo_it(app: App) -> None:
    parcel = await received(app)
    assert (parcel.state, await queue(app)) == ("arrived", [NUMBER])
    match = {"parcel_id": parcel.id, "customer_id": app.ids["customer"]}
    for _ in range(2):
        matched = (await app.answer("admin", "match_inbound_parcel", match)).parcel
        assert (matched.state, matched.customer_id, matched.matched_by) == ("matched", app.ids["customer"], "person")
    other = await app.call("admin", "match_inbound_parcel", {**match, "customer_id": app.ids["customer2"]})
    assert other.error
    assert (other.status, other.error["code"]) == (409, "INBOUND_PARCEL_MATCHED")
    back = (await app.answer("admin", "unmatch_inbound_parcel", {"parcel_id": parcel.id})).parcel
    assert (back.state, back.customer_id, await queue(app)) == ("arrived", None, [NUMBER])
    await app.answer("admin", "match_inbound_parcel", {**match, "customer_id": app.ids["customer2"]})


async def test_a_pre_alert_with_a_wrong_number_is_moved_to_the_received_parcel(app: App) -> None:
    meant = await announced(app, "1Z999AA1012345678X", contents="Shoes", note="Unpack")
    came = await received(app)
    wanted = {"parcel_id": came.id, "pre_alert_id": meant.id}
    matched = (await app.answer("admin", "match_inbound_parcel", wanted)).parcel
    assert (matched.customer_id, matched.contents, matched.note) == (app.ids["customer"], "Shoes", "Unpack")
    assert (await app.call("admin", "get_inbound_parcel", {"parcel_id": meant.id})).status == 404
    assert (await app.call("admin", "match_inbound_parcel", wanted)).status == 404


async def test_concurrent_matches_of_one_parcel_succeed_once(app: App) -> None:
    parcel = await received(app)
    who = [app.ids["customer"], app.ids["customer2"]] * 4
    answers = await asyncio.gather(
        *(
            app.call("admin", "match_inbound_parcel", {"parcel_id": parcel.id, "customer_id": customer})
            for customer in who
        )
    )
    owner = (await parcel_now(app, parcel.id)).customer_id
    for customer, answer in zip(who, answers, strict=True):
        assert answer.status == (200 if customer == owner else 409)


async def test_concurrent_reports_of_one_number_create_one_parcel(app: App) -> None:
    asked = [("create_pre_alert", "customer"), ("create_pre_alert", "customer2"), ("receive_inbound_parcel", "admin")]
    answers = await asyncio.gather(
        *(app.call(who, operation, {"tracking_number": NUMBER}) for operation, who in asked * 2)
    )
    assert {answer.status for answer in answers} <= {200, 409}
    (parcel,) = (await app.answer("admin", "list_inbound_parcels")).parcels
    claims = (await app.answer("admin", "list_inbound_claims")).claims
    assert (parcel.state == "matched") is (claims == []), "a parcel that arrived first waits for the office"


async def test_customers_see_only_their_own_parcels(app: App) -> None:
    own, theirs = await announced(app, "A-1"), await announced(app, "B-1", "customer2")
    nobodys = await received(app, "C-1")
    listed = (await app.answer("customer", "list_inbound_parcels", {"customer_id": app.ids["customer2"]})).parcels
    assert listed == []
    assert [one.id for one in (await app.answer("customer", "list_inbound_parcels")).parcels] == [own.id]
    for other in (theirs, nobodys):
        assert (await app.call("customer", "get_inbound_parcel", {"parcel_id": other.id})).status == 404
        assert (await app.call("customer", "cancel_pre_alert", {"parcel_id": other.id})).status == 404
    for number in ("B-1", "b 1"):
        taken = await app.call("customer", "create_pre_alert", {"tracking_number": number})
        assert (taken.status, "customer2" in str(taken.error)) == (409, False)
    for_another = {"tracking_number": "D-1", "customer_id": app.ids["customer2"]}
    assert (await app.call("customer", "create_pre_alert", for_another)).status == 422
    assert (await app.call("rival", "get_inbound_parcel", {"parcel_id": own.id})).status == 404


async def test_a_pre_alert_can_be_updated_until_arrival_and_cancelled_until_it_ships(app: App) -> None:
    parcel = await announced(app, declared_value=100, declared_currency="CAD")
    changes = {"parcel_id": parcel.id, "declared_value": 200, "contents": "Hats"}
    changed = (await app.answer("customer", "update_pre_alert", changes)).parcel
    assert (changed.declared_value, changed.declared_currency, changed.contents) == (200, "CAD", "Hats")
    await pushed(app, "in_transit")
    assert (await app.call("customer", "cancel_pre_alert", {"parcel_id": parcel.id})).status == 409
    await received(app)
    assert (await app.call("customer", "update_pre_alert", changes)).status == 409
    other = await announced(app, "A-1")
    await app.answer("customer", "cancel_pre_alert", {"parcel_id": other.id}, dry_run=True)
    await app.answer("customer", "cancel_pre_alert", {"parcel_id": other.id})
    assert (await app.call("customer", "get_inbound_parcel", {"parcel_id": other.id})).status == 404


async def test_parcels_become_unclaimed_after_the_configured_time(app: App) -> None:
    await app.answer("admin", "set_consolidation_policy", {"unclaimed_after_days": 10})
    nobodys, own = await received(app), await received(app, "A-1")
    await app.answer("admin", "match_inbound_parcel", {"parcel_id": own.id, "customer_id": app.ids["customer"]})
    for days, state in ((9, "arrived"), (2, "unclaimed")):
        app.clock.forward(days=days)
        await _round(app)
        assert (await parcel_now(app, nobodys.id)).state == state
    assert (await parcel_now(app, own.id)).state == "matched"
    match = {"parcel_id": nobodys.id, "customer_id": app.ids["customer"]}
    assert (await app.answer("admin", "match_inbound_parcel", match)).parcel.state == "matched"


async def _round(app: App) -> None:
    await check_unclaimed_parcels.handler(app.application)
    await app.work_off()


async def test_carriers_without_webhooks_are_polled_for_announced_parcels(app: App) -> None:
    carrier = await make_parcelo_account(app)
    parcel = await announced(app, carrier="PARCELO")
    await announced(app, "A-1", carrier="UNKNOWN")
    for number, (code, state) in enumerate((("picked_up", "in_transit"), ("delivered", "in_transit"))):
        at = app.clock.now + timedelta(minutes=5)
        carrier.scans.append(CarrierEvent(f"e{number}", code.upper(), code, at, city="Ottawa", country="CA"))
        app.clock.forward(hours=13)
        await app.work_off()
        await app.work_off()
        now = await parcel_now(app, parcel.id)
        assert (now.state, now.carrier_status) == (state, code)
    await received(app)
    app.clock.forward(days=2)
    await app.work_off()
    assert await app.work_off() == 0


async def test_webhooks_report_received_and_unmatched_parcels(app: App) -> None:
    with make_local_receiver(app) as receiver:
        events = ("inbound_parcel.arrived", "inbound_parcel.matched", "inbound_parcel.unmatched")
        await make_endpoint(app, receiver.url(), *events)
        parcel = await received(app)
        await app.answer("admin", "match_inbound_parcel", {"parcel_id": parcel.id, "customer_id": app.ids["customer"]})
        await app.work_off()
        told = {message.document["event"]: message.document["data"] for message in receiver.received}
    about = {"parcel_id": parcel.id, "tracking_number": NUMBER}
    assert told["inbound_parcel.arrived"] == {**about, "customer_id": None}
    assert told["inbound_parcel.unmatched"] == about
    assert told["inbound_parcel.matched"] == {**about, "customer_id": app.ids["customer"], "by": "person"}


async def test_lists_are_filtered_with_a_constant_number_of_statements(app: App) -> None:
    await received(app, "A-0")
    few = await _statements(app)
    for number in range(8):
        await announced(app, f"B-{number}", carrier="UPS" if number % 2 else "DHL")
    assert await _statements(app) == few
    filters: dict[str, tuple[dict[str, Any], int]] = {
        "state": ({"state": "expected"}, 8),
        "carrier": ({"carrier": "UPS"}, 4),
        "number": ({"tracking_number": "b 3"}, 1),
        "customer": ({"customer_id": app.ids["customer"]}, 8),
        "unmatched": ({"unmatched": True}, 1),
        "matched": ({"unmatched": False}, 8),
        "since": ({"arrived_since": app.clock.now.isoformat()}, 1),
        "before": ({"arrived_before": app.clock.now.isoformat()}, 0),
        "page": ({"per_page": 2, "page": 2}, 9),
    }
    found = {
        name: (await app.answer("admin", "list_inbound_parcels", asked)).total for name, (asked, _) in filters.items()
    }
    assert found == {name: total for name, (_, total) in filters.items()}


async def _statements(app: App) -> int:
    before = app.statements
    await app.answer("admin", "list_inbound_parcels")
    return app.statements - before
