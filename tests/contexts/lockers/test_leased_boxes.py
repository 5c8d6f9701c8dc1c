"""Parcels in rented compartments: only by the renter, also with stuck doors."""

import asyncio

from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.makers import refusal, reserved
from tests.contexts.lockers.resale_makers import DAY_PRICE, make_resale
from tests.support.app import App


async def test_rented_compartments_are_unavailable_to_others(app: App) -> None:
    resale = await make_resale(app, boxes=3, min_days=1)
    lease = await resale.lease(2, 1)
    (free,) = (await app.answer("admin", "get_locker_site", {"site_id": resale.cabinet.site_id})).site.free
    assert (free.boxes, free.free) == (3, 1)
    theirs = {each.box_id for each in await resale.boxes(lease.id)}
    other = await reserved(app, resale.cabinet.site_id)
    assert other.box_id not in theirs
    asked = {"site_id": resale.cabinet.site_id, "recipient": {"name": "Ada"}}
    assert await refusal(app, "admin", "reserve_locker_box", asked) == (409, "NO_FREE_BOX")
    listed = (await app.answer("admin", "list_locker_boxes", {"site_id": resale.cabinet.site_id})).boxes
    assert {each.id for each in listed if each.lease_id == lease.id} == theirs


async def test_a_suspended_rental_accepts_no_deposits(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.lease()
    inside, waiting = await resale.parcel(lease.id), await resale.parcel(lease.id)
    await resale.open(inside.id)
    halted = await resale.step("suspend_locker_lease", lease.id, "admin", reason="Something leaks")
    assert (halted.status, halted.reason) == ("suspended", "Something leaks")
    for operation, asked in (
        ("reserve_leased_box", {"locker_lease_id": lease.id}),
        ("open_leased_box", {"locker_parcel_id": waiting.id}),
        ("extend_locker_lease", {"locker_lease_id": lease.id, "days": 2}),
    ):
        assert await refusal(app, "customer", operation, asked) == (409, "LEASE_STEP_REFUSED")
    assert (await resale.open(inside.id, "retrieve")).status == "removed"
    assert (await resale.step("resume_locker_lease", lease.id, "admin")).reason is None
    assert (await resale.open(waiting.id)).status == "deposited"


async def test_a_rented_compartment_holds_one_parcel_and_its_recipient_gets_a_code(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.lease()
    asked = {"locker_lease_id": lease.id, "recipient": {"name": "Ada", "email": "ada@boxes.example"}}
    tried = await asyncio.gather(*(app.call("customer", "reserve_leased_box", asked) for _ in range(5)))
    assert sorted(each.status for each in tried) == [200, 200, 409, 409, 409]
    first, second = (each.answer.parcel.id for each in tried if each.error is None)
    assert (await resale.open(first)).status == "deposited"
    await app.work_off()
    assert any(mail.to == "ada@boxes.example" for mail in await received_mails(app))
    given_up = (await app.answer("customer", "cancel_leased_parcel", {"locker_parcel_id": second})).parcel
    assert given_up.status == "cancelled"
    assert [each.parcel_id for each in await resale.boxes(lease.id)] in ([first, None], [None, first])
    stored = (await app.answer("customer", "otep_client_locker_storage", {})).items
    assert {item.locker_parcel_id for item in stored} == {first, second}


async def test_a_rental_ending_while_a_door_opens_loses_no_parcel(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.lease()
    asked = {"locker_parcel_id": (await resale.parcel(lease.id)).id}
    await app.call("customer", "open_leased_box", asked, confirmed=True)
    assert await refusal(app, "customer", "cancel_leased_parcel", asked) == (409, "LOCKER_STEP_REFUSED")
    await resale.step("revoke_locker_lease", lease.id, "admin", reason="The hall is being rebuilt")
    await resale.cabinet.does()
    assert (await app.answer("admin", "get_locker_parcel", asked)).parcel.status == "deposited"


async def test_storage_in_a_rented_compartment_is_free(app: App) -> None:
    resale = await make_resale(app)
    fees = {"site_id": resale.cabinet.site_id, "storage_free_days": 0, "storage_day_minor": 100}
    await app.answer("admin", "update_locker_site", fees)
    lease = await resale.lease()
    parcel = await resale.parcel(lease.id)
    await resale.open(parcel.id)
    app.clock.forward(days=2)
    await resale.open(parcel.id, "retrieve")
    (item,) = (await app.answer("customer", "otep_client_locker_storage", {})).items
    assert (item.fee_due_minor, (await credit(app))[0]) == (0, 0)


async def test_a_compartment_with_a_stuck_door_is_exchanged(app: App) -> None:
    resale = await make_resale(app, boxes=3)
    lease = await resale.lease()
    before = {each.box_id for each in await resale.boxes(lease.id)}
    parcel = await resale.parcel(lease.id)
    moved = await resale.open(parcel.id, said="failed")
    assert (moved.status, moved.box_id in before - {parcel.box_id}) == ("reserved", True)
    await app.work_off()
    after = {each.box_id for each in await resale.boxes(lease.id)}
    assert (len(after), parcel.box_id in after, len(after - before)) == (2, False, 1)
    assert ((await resale.now(lease.id)).refunded_minor, (await resale.open(parcel.id)).status) == (0, "deposited")


async def test_days_without_a_replacement_compartment_are_refunded(app: App) -> None:
    resale = await make_resale(app, boxes=2)
    lease = await resale.lease()
    box = (await resale.boxes(lease.id))[0]
    await resale.set_box(box.box_id, "faulty")
    assert [each.out_since is None for each in await resale.boxes(lease.id)] == [False, True]
    app.clock.forward(days=2, hours=1)
    for _ in range(2):
        await resale.set_box(box.box_id, "ready")
    now = await resale.now(lease.id)
    assert (now.refunded_minor, (await credit(app))[0]) == (3 * DAY_PRICE, 3 * DAY_PRICE)
    await resale.set_box(box.box_id, "disabled")
    app.clock.forward(days=20)
    await app.work_off()
    now = await resale.now(lease.id)
    assert (now.status, now.refunded_minor) == ("ended", (3 + 8) * DAY_PRICE)
    entries = (await app.answer("customer", "list_lease_entries", {"kind": "outage"})).entries
    assert [(each.boxes, each.days, each.amount) for each in entries] == [
        (1, 8, -8 * DAY_PRICE),
        (1, 3, -3 * DAY_PRICE),
    ]
    assert await faults(app) == []
