"""Locker rentals: offered, reserved, paid, extended, suspended and ended."""

import asyncio
from datetime import timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.makers import refusal, reserved
from tests.contexts.lockers.resale_makers import DAY_PRICE, OFFER, SETUP, Resale, make_resale
from tests.support.app import App

from haulier.contexts.lockers.resale.actions import DueLease
from haulier.contexts.lockers.resale.jobs import close_lease_in_time
from haulier.kernel.job_run import JobRun

TERM = 2 * 10 * DAY_PRICE + SETUP
"""Price of two compartments for ten days."""


async def test_compartments_are_reserved_paid_and_released_at_the_end_of_the_term(app: App) -> None:
    resale = await make_resale(app)
    assert (resale.offer.status, resale.offer.let, resale.offer.available) == ("offered", 0, 4)
    lease = await resale.reserve(lease_ref="LK-7")
    assert (lease.status, lease.total_price, lease.balance_due_minor, lease.can_be_paid) == (
        "reserved",
        TERM,
        TERM,
        True,
    )
    assert ((await resale.offered()).let, (await resale.offered()).available) == (2, 2)
    await resale.top_up(TERM, key="for it")
    paid = await resale.step("pay_locker_lease", lease.id)
    assert (paid.status, paid.paid_amount, paid.balance_due_minor, await credit(app)) == ("active", TERM, 0, (0, 0, 0))
    assert paid.ends_at - paid.paid_at == timedelta(days=10)
    assert await refusal(app, "customer", "pay_locker_lease", {"locker_lease_id": lease.id}) == (
        409,
        "LEASE_STEP_REFUSED",
    )
    app.clock.forward(days=10)
    await app.work_off()
    over = await resale.now(lease.id)
    assert (over.status, over.refunded_minor, (await resale.offered()).available) == ("ended", 0, 4)
    subjects = [mail.subject for mail in await received_mails(app)]
    assert sum("LK-7" in subject for subject in subjects) >= 1
    assert await faults(app) == []


async def test_of_concurrent_requests_for_the_last_compartments_one_succeeds(app: App) -> None:
    resale = await make_resale(app, boxes=5)
    asked = {"locker_offer_id": resale.offer.id, "boxes": 2, "days": 2}
    taken = {"site_id": resale.cabinet.site_id, "recipient": {"name": "Ada"}}
    tried = await asyncio.gather(
        *(app.call(who, "reserve_locker_lease", asked) for who in ("customer", "customer2") * 4),
        *(app.call("admin", "reserve_locker_box", taken) for _ in range(2)),
    )
    assert {each.error["code"] for each in tried if each.error} <= {"LOCKER_OFFER_SOLD_OUT", "NO_FREE_BOX"}
    won = [each.answer.lease.id for each in tried[:8] if each.error is None]
    assert 1 <= len(won) <= 2
    boxes = [each.box_id for lease_id in won for each in await resale.boxes(lease_id, "admin")]
    parcels = [each.answer.parcel.box_id for each in tried[8:] if each.error is None]
    assert len(boxes) == 2 * len(won)
    assert len(set(boxes + parcels)) == len(boxes) + len(parcels)
    assert await refusal(app, "customer", "reserve_locker_lease", {**asked, "boxes": 3}) == (
        409,
        "LOCKER_OFFER_SOLD_OUT",
    )


async def test_an_unpaid_rental_is_released(app: App) -> None:
    resale = await make_resale(app, hold_minutes=30)
    kept, lost = await resale.lease(1), await resale.reserve()
    app.clock.forward(minutes=30)
    assert await refusal(app, "customer", "pay_locker_lease", {"locker_lease_id": lost.id}) == (
        409,
        "LEASE_STEP_REFUSED",
    )
    run = JobRun(app.application, app.clients["demo"], 1, 1)
    for _ in range(2):
        for lease in (kept, lost):
            await close_lease_in_time.handler(run, DueLease(lease.id))
    assert [(await resale.now(each.id)).status for each in (kept, lost)] == ["active", "cancelled"]
    assert (await resale.offered()).available == 3


async def test_a_rental_is_paid_once_and_refunded_once(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.reserve()
    asked = {"locker_lease_id": lease.id}
    await resale.top_up(TERM - 1, key="too little")
    assert await refusal(app, "customer", "pay_locker_lease", asked) == (409, "CREDIT_INSUFFICIENT")
    await resale.top_up(TERM, key="more")
    tried = await asyncio.gather(*(app.call("customer", "pay_locker_lease", asked, confirmed=True) for _ in range(4)))
    assert sorted(each.status for each in tried) == [200, 409, 409, 409]
    assert (await credit(app))[0] == TERM - 1
    tried = await asyncio.gather(
        *(app.call("customer", "cancel_locker_lease", asked, confirmed=True) for _ in range(3))
    )
    assert sorted(each.status for each in tried) == [200, 409, 409]
    now = await resale.now(lease.id)
    assert (now.status, now.refunded_minor, (await credit(app))[0]) == ("cancelled", TERM, 2 * TERM - 1)
    assert await faults(app) == []


async def test_used_or_long_paid_rentals_cannot_be_cancelled(app: App) -> None:
    resale = await make_resale(app, withdraw_hours=24)
    used, late = await resale.lease(1), await resale.lease(1)
    await resale.parcel(used.id)
    assert await refusal(app, "customer", "cancel_locker_lease", {"locker_lease_id": used.id}) == (
        409,
        "LEASE_WITHDRAWAL_OVER",
    )
    assert late.withdraw_until - late.paid_at == timedelta(hours=24)
    app.clock.forward(hours=24)
    assert not (await resale.now(late.id)).can_be_cancelled
    assert await refusal(app, "customer", "cancel_locker_lease", {"locker_lease_id": late.id}) == (
        409,
        "LEASE_WITHDRAWAL_OVER",
    )


async def test_a_rental_is_extended_at_the_current_price_and_its_end_is_announced_once(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.lease()
    offer = {"locker_offer_id": resale.offer.id}
    await app.answer("admin", "update_locker_offer", {**offer, "day_minor": 200})
    await resale.top_up(2 * 5 * 200, key="longer")
    longer = await resale.step("extend_locker_lease", lease.id, days=5)
    assert (longer.days, longer.paid_amount) == (15, TERM + 2000)
    assert longer.ends_at - lease.ends_at == timedelta(days=5)
    app.clock.forward(days=10)
    await app.work_off()
    assert (await resale.now(lease.id)).status == "active"
    app.clock.forward(days=2)
    await app.work_off()
    assert len([mail for mail in await received_mails(app) if str(lease.id) in mail.subject]) == 1
    too_long = {"locker_lease_id": lease.id, "days": 91}
    assert await refusal(app, "customer", "extend_locker_lease", too_long) == (409, "LEASE_TERMS_REFUSED")
    await app.answer("admin", "end_locker_offer", offer)
    assert await refusal(app, "customer", "extend_locker_lease", {**too_long, "days": 2}) == (
        409,
        "LOCKER_OFFER_CLOSED",
    )


async def test_a_revoked_rental_refunds_the_remaining_days(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.lease()
    await app.answer("admin", "update_locker_offer", {"locker_offer_id": resale.offer.id, "day_minor": 200})
    await resale.top_up(2 * 5 * 200, key="longer")
    await resale.step("extend_locker_lease", lease.id, days=5)
    app.clock.forward(days=6, hours=1)
    inside = await resale.parcel(lease.id)
    await resale.open(inside.id)
    waiting = await resale.parcel(lease.id)
    over = await resale.step("revoke_locker_lease", lease.id, "admin", reason="The hall is being rebuilt")
    back = 3 * 2 * DAY_PRICE + 5 * 2 * 200
    assert (over.status, over.refunded_minor, (await credit(app))[0]) == ("ended", back, back)
    assert over.reason == "The hall is being rebuilt"
    parcels = {each.id: each.status for each in (await app.answer("admin", "list_locker_parcels", {})).parcels}
    assert (parcels[inside.id], parcels[waiting.id]) == ("deposited", "cancelled")
    assert (await resale.open(inside.id, "retrieve")).status == "removed"
    assert (await resale.offered()).let == 0
    assert await faults(app) == []


async def test_a_customer_without_prices_reserves_and_the_office_settles_payment(app: App) -> None:
    resale = await make_resale(app)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    lease = await resale.reserve()
    told = (await app.rest("customer", "GET", f"/v1/locker-leases/{lease.id}")).json()["lease"]
    prices = {
        "total_price",
        "paid_amount",
        "refunded_minor",
        "balance_due_minor",
        "currency",
        "day_price_minor",
        "setup_price_minor",
    }
    assert (told["price_hidden"], told.keys() & prices, told["can_be_paid"]) == (True, set(), False)
    for operation in ("pay_locker_lease", "extend_locker_lease"):
        asked = {"locker_lease_id": lease.id, **({"days": 2} if "extend" in operation else {})}
        assert await refusal(app, "customer", operation, asked) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    await resale.top_up(TERM, key="office")
    assert (await resale.step("pay_locker_lease", lease.id, "admin")).status == "active"


async def test_a_payment_is_listed_on_the_next_invoice(app: App) -> None:
    resale = await make_resale(app)
    lease = await resale.lease()
    issued = (await app.answer("admin", "issue_invoice", {"customer_id": app.ids["customer"]})).invoice
    shown = (await app.answer("admin", "get_invoice", {"invoice_id": issued.id})).invoice
    assert [(line.subject_kind, line.subject_id, line.amount_minor) for line in shown.lines] == [
        ("locker_lease", lease.id, TERM)
    ]


async def test_rentals_can_be_listed_filtered_and_paged_and_are_invisible_to_others(app: App) -> None:
    resale = await make_resale(app)
    first, second = await resale.reserve(1, lease_ref="LK-1"), await resale.lease(1)
    theirs = await resale.reserve(1, who="admin", customer_id=app.ids["customer2"])

    async def found(who: str = "customer", **wanted: Any) -> list[int]:
        return [each.id for each in (await app.answer(who, "list_locker_leases", wanted)).leases]

    assert await found() == [second.id, first.id]
    assert await found(per_page=1, page=2) == [first.id]
    assert (await found(status="active"), await found(lease_ref="LK-1")) == ([second.id], [first.id])
    assert await found(customer_id=app.ids["customer2"]) == [second.id, first.id]
    assert (await found("customer2"), await found("rival")) == ([theirs.id], [])
    assert await found("admin", locker_offer_id=resale.offer.id, customer_id=app.ids["customer"]) == [
        second.id,
        first.id,
    ]
    parcel = await resale.parcel(second.id)
    named: dict[str, Any] = {"locker_lease_id": second.id}
    for who in ("customer2", "rival"):
        for operation, asked in (
            ("get_locker_lease", named),
            ("pay_locker_lease", named),
            ("list_leased_boxes", named),
            ("reserve_leased_box", named),
            ("open_leased_box", {"locker_parcel_id": parcel.id}),
            ("cancel_leased_parcel", {"locker_parcel_id": parcel.id}),
        ):
            assert await refusal(app, who, operation, asked) == (404, "NOT_FOUND")
    not_leased = await reserved(app, resale.cabinet.site_id)
    assert await refusal(app, "admin", "cancel_leased_parcel", {"locker_parcel_id": not_leased.id}) == (
        404,
        "NOT_FOUND",
    )


async def test_offers_can_be_listed_updated_suspended_and_ended(app: App) -> None:
    resale = await make_resale(app)
    offer = {"locker_offer_id": resale.offer.id}
    wanted = {**offer, "boxes": 1, "days": 2}
    assert (await app.answer("customer", "list_locker_offers", {"size": "s"})).total == 1
    assert (await app.answer("customer", "list_locker_offers", {"size": "m"})).total == 0
    assert await refusal(app, "admin", "update_locker_offer", {**offer, "min_boxes": 5}) == (
        409,
        "LOCKER_OFFER_TERMS_REFUSED",
    )
    assert await refusal(app, "customer", "reserve_locker_lease", {**wanted, "days": 1}) == (
        409,
        "LEASE_TERMS_REFUSED",
    )
    halted = (await app.answer("admin", "update_locker_offer", {**offer, "suspended": True})).offer
    assert (halted.status, halted.available) == ("suspended", 0)
    assert await refusal(app, "customer", "reserve_locker_lease", wanted) == (404, "NOT_FOUND")
    by_office = {**wanted, "customer_id": app.ids["customer"]}
    assert await refusal(app, "admin", "reserve_locker_lease", by_office) == (409, "LOCKER_OFFER_CLOSED")
    assert (await app.answer("customer", "list_locker_offers", {"status": "suspended"})).total == 0
    assert (await app.answer("admin", "list_locker_offers", {"status": "suspended"})).total == 1
    await app.answer("admin", "update_locker_offer", {**offer, "suspended": False, "name": "Boxes"})
    assert (await resale.reserve(1)).offer_name == "Boxes"
    ended = (await app.answer("admin", "end_locker_offer", offer)).offer
    assert (ended.status, ended.let) == ("ended", 1)
    assert await refusal(app, "admin", "end_locker_offer", offer) == (409, "LOCKER_OFFER_CLOSED")
    assert await refusal(app, "customer", "get_locker_offer", offer) == (404, "NOT_FOUND")
    assert await refusal(app, "admin", "create_locker_offer", {**OFFER, "site_id": 1, "min_days": 91}) == (
        422,
        "INVALID_REQUEST",
    )


async def test_settlements_and_usage_follow_the_business_day(app: App) -> None:
    resale = await make_resale(app)
    lease, other = await resale.lease(), await resale.lease(1, who="customer2")
    parcel = await resale.parcel(lease.id)
    await resale.open(parcel.id)
    entries = (await app.answer("customer", "list_lease_entries", {})).entries
    assert [(each.kind, each.boxes, each.days, each.amount) for each in entries] == [("term", 2, 10, TERM)]
    day = entries[0].booked_on.isoformat()
    span: dict[str, Any] = {"date_from": day, "date_to": day}
    usage = await app.answer("admin", "get_lease_usage", span)
    assert [(each.locker_lease_id, each.parcels, each.in_boxes, each.paid_amount) for each in usage.leases] == [
        (other.id, 0, 0, 10 * DAY_PRICE + SETUP),
        (lease.id, 1, 1, TERM),
    ]
    assert [each.locker_lease_id for each in (await app.answer("customer", "get_lease_usage", span)).leases] == [
        lease.id
    ]
    assert (await app.answer("rival", "get_lease_usage", span)).leases == []
    found = (await app.answer("admin", "list_lease_entries", {**span, "customer_id": app.ids["customer2"]})).entries
    assert [each.locker_lease_id for each in found] == [other.id]
    assert (await app.answer("admin", "list_lease_entries", {"date_to": "2020-01-01"})).total == 0
    backwards = {"date_from": day, "date_to": "2020-01-01"}
    assert await refusal(app, "admin", "get_lease_usage", backwards) == (422, "INVALID_REQUEST")


async def test_statement_count_is_constant_for_any_number_of_compartments_days_and_rentals(app: App) -> None:
    resale = await _make_large_resale(app)
    counted = []
    for boxes in (1, 1, 12):
        lease = await resale.reserve(boxes)
        await resale.top_up(lease.total_price, key=f"for {lease.id}")
        before = app.statements
        await resale.step("pay_locker_lease", lease.id)
        await resale.boxes(lease.id)
        for operation in ("list_locker_leases", "list_locker_offers", "list_lease_entries"):
            await app.answer("customer", operation, {})
        await resale.step("cancel_locker_lease", lease.id)
        counted.append(app.statements - before)
    assert counted[1] == counted[2]


async def _make_large_resale(app: App) -> Resale:
    cabinet_boxes = 20
    resale = await make_resale(app, boxes=cabinet_boxes)
    await app.answer("admin", "update_locker_offer", {"locker_offer_id": resale.offer.id, "boxes": cabinet_boxes})
    return resale
