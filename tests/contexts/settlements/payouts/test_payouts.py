"""Payouts: numbered statements that are disputed, closed and paid."""

import asyncio
from base64 import b64decode
from io import BytesIO
from typing import Any

from pypdfium2 import PdfDocument
from tests.support.app import App
from tests.support.transport import make_driver, status_and_code

JUNE_14 = "2026-06-14"


async def add_pay(app: App, kind: str, payee_id: int, *amounts: int, day: str = "2026-06-10") -> list[int]:
    """Add earnings to a payee; return their ids."""
    about = {"payee_kind": kind, "payee_id": payee_id, "day": day, "reason": "Work"}
    return [
        (await app.answer("admin", "adjust_pay", {**about, "amount_minor": amount})).earning.id for amount in amounts
    ]


async def create(app: App, **wanted: Any) -> list[Any]:
    return (await app.answer("admin", "create_payouts", {"until": JUNE_14, **wanted})).payouts


async def own_payout(app: App, *amounts: int) -> Any:
    """Create a payout of the contractor."""
    await add_pay(app, "contractor", app.ids["contractor"], *amounts)
    (made,) = await create(app)
    return await app.answer("contractor", "get_payout", {"payout_id": made.id})


async def test_each_payee_gets_a_numbered_payout_of_all_earnings_up_to_the_day(app: App) -> None:
    driver = await make_driver(app)
    await add_pay(app, "contractor", app.ids["contractor"], 1000, 500)
    await add_pay(app, "driver", driver, 700)
    await add_pay(app, "driver", driver, 900, day="2026-06-15")
    preview = await app.answer("admin", "preview_payouts", {"until": JUNE_14})
    made = await create(app)
    shown = [(each.number, each.payee_kind, each.payee_id, each.total_minor, each.lines, each.status) for each in made]
    assert shown == [
        ("PAY-000001", "contractor", app.ids["contractor"], 1500, 2, "open"),
        ("PAY-000002", "driver", driver, 700, 1, "open"),
    ]
    assert [(each.payee_name, each.amount_minor) for each in preview.candidates] == [
        (each.payee_name, each.total_minor) for each in made
    ]
    (later,) = await create(app, until="2026-06-15")
    assert (later.number, later.total_minor) == ("PAY-000003", 900)


async def test_an_earning_is_on_one_payout_even_of_concurrent_calls(app: App) -> None:
    await add_pay(app, "contractor", app.ids["contractor"], 1000)
    results = await asyncio.gather(*(app.call("admin", "create_payouts", {"until": JUNE_14}) for _ in range(4)))
    assert sorted(result.status for result in results) == [200, 409, 409, 409]
    assert (await app.answer("admin", "list_payouts")).total == 1
    refused = await app.call("admin", "create_payouts", {"until": JUNE_14})
    assert status_and_code(refused) == (409, "NOTHING_TO_PAY")


async def test_deductions_beyond_the_earnings_wait_for_a_later_payout(app: App) -> None:
    await add_pay(app, "contractor", app.ids["contractor"], 300, -500)
    (candidate,) = (await app.answer("admin", "preview_payouts", {"until": JUNE_14})).candidates
    assert (candidate.amount_minor, candidate.payable) == (-200, False)
    assert status_and_code(await app.call("admin", "create_payouts", {"until": JUNE_14})) == (409, "NOTHING_TO_PAY")
    await add_pay(app, "contractor", app.ids["contractor"], 600)
    (made,) = await create(app)
    assert (made.lines, made.total_minor) == (3, 400)


async def test_an_accepted_dispute_adds_the_difference_to_the_same_payout(app: App) -> None:
    answer = await own_payout(app, 480, 150, 150)
    wrong = [line.earning_id for line in answer.payout_lines if line.amount_minor == 150]
    about = {"payout_id": answer.payout.id, "earning_ids": wrong}
    await app.answer("contractor", "dispute_payout", {**about, "reason": "Both were delivered."})
    paid = {"payout_ids": [answer.payout.id]}
    for step in ("pay_payouts", "close_payouts"):
        assert status_and_code(await app.call("admin", step, paid)) == (409, "PAYOUT_DISPUTED")
    assert (await app.answer("admin", "list_payouts", {"disputed": True})).payouts[0].open_disputes == 2
    decided = {**about, "amount_minor": 480, "answer": "Corrected."}
    resolved = await app.answer("admin", "resolve_payout_dispute", decided)
    assert (resolved.payout.total_minor, resolved.payout.lines, resolved.payout.open_disputes) == (1440, 5, 0)
    assert sum(line.amount_minor for line in resolved.payout_lines) == resolved.payout.total_minor
    assert {line.dispute_state for line in resolved.payout_lines if line.earning_id in wrong} == {"accepted"}
    again = await app.call("admin", "resolve_payout_dispute", decided)
    assert status_and_code(again) == (409, "PAYOUT_DISPUTE_CLOSED")
    assert (await app.answer("admin", "pay_payouts", paid)).payouts[0].status == "paid"
    assert status_and_code(await app.call("admin", "create_payouts", {"until": "2026-12-31"})) == (
        409,
        "NOTHING_TO_PAY",
    )


async def test_a_rejected_dispute_leaves_the_amount_and_is_final(app: App) -> None:
    answer = await own_payout(app, 150)
    about = {"payout_id": answer.payout.id, "earning_ids": [answer.payout_lines[0].earning_id]}
    await app.answer("contractor", "dispute_payout", {**about, "reason": "Too little."})
    resolved = await app.answer("admin", "resolve_payout_dispute", {**about, "answer": "The rate is right."})
    (line,) = resolved.payout_lines
    assert (resolved.payout.total_minor, line.dispute_state, line.dispute_answer) == (
        150,
        "rejected",
        "The rate is right.",
    )
    again = await app.call("contractor", "dispute_payout", {**about, "reason": "Still too little."})
    assert status_and_code(again) == (409, "PAYOUT_LINE_DISPUTED")


async def test_a_closed_payout_is_no_longer_disputed_and_can_be_reopened_after_its_payment(app: App) -> None:
    answer = await own_payout(app, 150)
    one, many = {"payout_id": answer.payout.id}, {"payout_ids": [answer.payout.id]}
    dispute = {**one, "earning_ids": [answer.payout_lines[0].earning_id], "reason": "Too little."}
    for _ in range(2):
        assert (await app.answer("admin", "close_payouts", many)).payouts[0].status == "closed"
    assert status_and_code(await app.call("contractor", "dispute_payout", dispute)) == (409, "PAYOUT_STEP_REFUSED")
    for _ in range(2):
        (paid,) = (await app.answer("admin", "pay_payouts", {**many, "payment_reference": "SEPA 7"})).payouts
        assert (paid.status, str(paid.paid_on), paid.payment_reference) == ("paid", str(app.clock().date()), "SEPA 7")
    cancelled = await app.call("admin", "cancel_payout", {**one, "reason": "Wrong."})
    assert status_and_code(cancelled) == (409, "PAYOUT_STEP_REFUSED")
    reopened = await app.answer("admin", "reopen_payout", {**one, "reason": "The bank returned it."})
    assert (reopened.payout.status, reopened.payout.paid_on) == ("open", None)
    await app.answer("contractor", "dispute_payout", dispute)


async def test_earnings_of_a_cancelled_payout_are_on_the_next_one(app: App) -> None:
    answer = await own_payout(app, 150, 250)
    cancelled = await app.answer("admin", "cancel_payout", {"payout_id": answer.payout.id, "reason": "Too early."})
    assert (cancelled.payout.status, cancelled.payout_lines, cancelled.payout.total_minor) == ("cancelled", [], 400)
    (next_one,) = await create(app)
    assert (next_one.number, next_one.total_minor) == ("PAY-000002", 400)


async def test_a_payout_is_a_pdf_with_its_number_payee_and_total(app: App) -> None:
    answer = await own_payout(app, 12_345)
    path = f"/v1/pay/payouts/{answer.payout.id}/file"
    shown = await app.rest("contractor", "GET", path, headers={"accept": "application/pdf"})
    page = PdfDocument(BytesIO(shown.content))[0].get_textpage().get_text_range()
    assert all(text in page for text in ("PAY-000001", "Contractor", "123.45")), page
    told = await app.answer("admin", "get_payout_file", {"payout_id": answer.payout.id, "format": "csv"})
    lines = b64decode(told.document).decode().split("\r\n")
    assert (len(lines), lines[0][:15]) == (3, "earning_id,kind")


async def test_contractors_see_and_dispute_their_own_payouts_only(app: App) -> None:
    answer = await own_payout(app, 150)
    one = {"payout_id": answer.payout.id}
    for who in ("contractor2", "rival"):
        assert (await app.answer(who, "list_payouts")).payouts == []
        assert (await app.call(who, "get_payout", one)).status == 404
    dispute = {**one, "earning_ids": [answer.payout_lines[0].earning_id], "reason": "Mine."}
    assert (await app.call("contractor2", "dispute_payout", dispute)).status == 404
    assert (await app.call("contractor", "pay_payouts", {"payout_ids": [answer.payout.id]})).status == 403
    (foreign,) = await add_pay(app, "contractor", app.ids["contractor2"], 100)
    odd = await app.call("contractor", "dispute_payout", {**dispute, "earning_ids": [foreign]})
    assert odd.error
    assert (odd.status, odd.error["errors"][0]["field"]) == (422, "earning_ids.0")


async def test_the_statements_of_a_payout_run_do_not_grow_with_the_earnings(app: App) -> None:
    counts = []
    for amounts in ((100,), (100,) * 9):
        await add_pay(app, "contractor", app.ids["contractor"], *amounts)
        await add_pay(app, "contractor", app.ids["contractor2"], *amounts)
        before = app.statements
        await create(app)
        counts.append(app.statements - before)
    assert counts[0] == counts[1]
