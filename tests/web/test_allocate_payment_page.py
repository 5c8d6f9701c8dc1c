"""Allocate payment: open invoices with suggested amounts, all allocated at once."""

import asyncio
import re
from typing import Any

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business, shown
from tests.contexts.billing.ledger.makers import faults
from tests.support.app import App
from tests.web.page_client import get_page, page_text, send_form

PAGE = "/desk/allocate-payment"


async def make_payment(app: App, minor: int, reference: str = "T1", amounts: tuple[int, ...] = (10_000, 5_000)) -> Any:
    """A payment on account, and open invoices of the same customer."""
    await make_billing_business(app, dunning=[])
    asked = {"customer_id": app.ids["customer"], "amount_minor": minor, "reference": reference, "allocations": []}
    for amount in amounts:
        await charged(app, amount)
        await issued(app)
    return (await app.answer("admin", "top_up_credit", asked)).received_payment


def typed(page: Any) -> dict[str, str]:
    """The amounts of a form by name."""
    return dict(re.findall(r'<input name="(amount-\d+)"[^>]*? value="([^"]*)"', page.text))


async def form_of(app: App, payment: Any) -> Any:
    return await get_page(app, f"{PAGE}?received_payment_id={payment.id}", "admin")


async def test_the_oldest_invoices_are_suggested_first(app: App) -> None:
    page = await form_of(app, await make_payment(app, 12_000))
    assert list(typed(page).values()) == ["100.00", "20.00"]
    assert "Left on account CA$0.00" in page_text(page)


async def test_invoices_named_in_the_reference_are_suggested_first(app: App) -> None:
    page = await form_of(app, await make_payment(app, 12_000, "Transfer INV-000002"))
    assert list(typed(page).values()) == ["70.00", "50.00"]


async def test_a_look_at_the_form_allocates_nothing(app: App) -> None:
    payment = await make_payment(app, 12_000)
    await form_of(app, payment)
    kept = (await app.answer("admin", "get_received_payment", {"received_payment_id": payment.id})).received_payment
    assert (kept.allocated_minor, kept.automatic, kept.allocations) == (0, False, [])


async def test_edited_amounts_are_allocated_and_the_rest_stays_on_account(app: App) -> None:
    payment = await make_payment(app, 12_000)
    first, second = typed(await form_of(app, payment))
    fields = {"received_payment_id": str(payment.id), "once": "a", first: "$40.50", second: "50"}
    answer = await send_form(app, PAGE, "admin", **fields)
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"/desk/received-payments/{payment.id}?done=allocate_payment",
    )
    kept = (await app.answer("admin", "get_received_payment", {"received_payment_id": payment.id})).received_payment
    assert [each.amount_minor for each in kept.allocations] == [4_050, 5_000]
    assert kept.unallocated_minor == 12_000 - 9_050
    assert [(await shown(app, each.invoice_id)).due_minor for each in kept.allocations] == [5_950, 0]
    assert await faults(app) == []


async def test_a_form_that_is_sent_twice_allocates_once(app: App) -> None:
    payment = await make_payment(app, 12_000)
    first, _ = typed(await form_of(app, payment))
    fields = {"received_payment_id": str(payment.id), "once": "a", first: "30"}
    answers = await asyncio.gather(*(send_form(app, PAGE, "admin", **fields) for _ in range(3)))
    assert 303 in {each.status_code for each in answers} <= {303, 409}
    kept = (await app.answer("admin", "get_received_payment", {"received_payment_id": payment.id})).received_payment
    assert kept.allocated_minor == 3_000


async def test_more_than_an_invoice_or_the_payment_has_left_is_refused_as_a_whole(app: App) -> None:
    payment = await make_payment(app, 12_000)
    first, second = typed(await form_of(app, payment))
    for number, (amounts, said) in enumerate(
        (
            ({first: "20", second: "50.01"}, "Only 50.00 CAD remain"),
            ({first: "90", second: "40"}, "30.00 CAD"),
            ({first: "ten"}, "“ten” is not a number"),
            ({first: "", second: "0"}, "Enter an amount for at least one invoice."),
        )
    ):
        answer = await send_form(app, PAGE, "admin", received_payment_id=str(payment.id), once=f"a{number}", **amounts)
        assert answer.status_code in (409, 422)
        assert said in page_text(answer)
        assert typed(answer) == {first: "", second: ""} | amounts
    kept = (await app.answer("admin", "get_received_payment", {"received_payment_id": payment.id})).received_payment
    assert kept.allocated_minor == 0


async def test_an_allocated_payment_has_nothing_to_allocate(app: App) -> None:
    payment = await make_payment(app, 15_000)
    await app.answer("admin", "allocate_payment", {"received_payment_id": payment.id})
    assert "This payment is fully allocated." in page_text(await form_of(app, payment))


async def test_a_customer_without_open_invoices_reads_so(app: App) -> None:
    page = await form_of(app, await make_payment(app, 500, amounts=()))
    assert "No open invoices in this currency." in page_text(page)


async def test_the_page_of_a_payment_leads_to_the_form(app: App) -> None:
    payment = await make_payment(app, 12_000)
    page = await get_page(app, f"/desk/received-payments/{payment.id}", "admin")
    assert f'href="{PAGE}?received_payment_id={payment.id}"' in page.text


async def test_only_staff_of_the_business_allocate(app: App) -> None:
    payment = await make_payment(app, 12_000)
    for who in ("customer", "rival"):
        address = f"{PAGE}?received_payment_id={payment.id}"
        assert (await get_page(app, address, who)).status_code == 404
        sent = await send_form(app, PAGE, who, received_payment_id=str(payment.id), **{"amount-1": "1"})
        assert sent.status_code == 404


async def test_a_form_of_another_session_is_refused(app: App) -> None:
    payment = await make_payment(app, 12_000)
    fields = {"received_payment_id": str(payment.id), "amount-1": "1", "csrf": "wrong"}
    assert (await send_form(app, PAGE, "admin", **fields)).status_code == 403
