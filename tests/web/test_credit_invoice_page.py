"""Credit an invoice by line with a preview, or void it."""

import re
from typing import Any

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business, make_mixed_invoice, shown
from tests.support.app import App
from tests.web.page_client import get_page, page_text, send_form

PAGE, VOID = "/desk/credit-invoice", "/desk/void-invoice"


async def credit_form(app: App, invoice: Any, who: str = "admin") -> Any:
    return await get_page(app, f"{PAGE}?invoice_id={invoice.id}", who)


def fields_of(invoice: Any, amounts: dict[int, str], step: str, **more: str) -> dict[str, Any]:
    """The fields of a form that credits lines by position."""
    ids = {at: str(invoice.lines[at].transfer_id) for at in amounts}
    typed = {f"amount-{ids[at]}": text for at, text in amounts.items()}
    given: dict[str, Any] = {"invoice_id": str(invoice.id), "line": list(ids.values()), "reason": "Late", "step": step}
    return given | typed | more


def hidden_fields(page: Any) -> dict[str, Any]:
    """The hidden fields of the form that confirms."""
    found: dict[str, Any] = {"line": []}
    form = page.text[page.text.index('<form method="post" action="/desk/credit-invoice"') :]
    for name, text in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form):
        if name == "line":
            found["line"].append(text)
        elif name != "csrf":
            found[name] = text
    return found


async def test_the_form_offers_what_is_left_of_each_line(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    part = {"transfer_id": invoice.lines[0].transfer_id, "amount_minor": 130, "reason": "Late"}
    await app.answer("admin", "credit_invoice", {"invoice_id": invoice.id, **part})
    page = await credit_form(app, invoice)
    assert re.findall(r'<input name="amount-\d+"[^>]*? value="([^"]*)"', page.text) == ["10.00", "11.20", "4.00"]
    assert "GST 5 %, PST 7 %" in page_text(page)


async def test_the_preview_shows_tax_total_and_what_happens_to_the_money(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    page = await send_form(app, PAGE, "admin", **fields_of(invoice, {0: "5.65", 1: "11.20"}, "preview"))
    told = page_text(page)
    for text in ("Net amount CA$15.00", "HST 13 % CA$0.65", "GST 5 % CA$0.50", "PST 7 % CA$0.70", "Total CA$16.85"):
        assert text in told, (text, told)
    assert "CA$16.85 less is due on INV-000001. CA$9.65 remains to be paid." in told
    assert (await shown(app, invoice.id)).credited_minor == 0


async def test_the_preview_says_what_a_paid_invoice_gives_back(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    await app.answer("admin", "record_invoice_payment", {"invoice_id": invoice.id, "reference": "T1"})
    page = await send_form(app, PAGE, "admin", **fields_of(invoice, {2: "4"}, "preview"))
    told = page_text(page)
    assert "CA$4.00 was already paid and becomes customer credit." in told
    assert "less is due" not in told


async def test_the_confirmed_preview_is_issued_once_with_its_files(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    page = await send_form(app, PAGE, "admin", **fields_of(invoice, {0: "5.65", 2: "1"}, "preview"))
    confirmed = hidden_fields(page) | {"step": "issue"}
    first, again = [await send_form(app, PAGE, "admin", **confirmed) for _ in range(2)]
    assert (first.status_code, first.headers["location"]) == (303, again.headers["location"])
    done = await get_page(app, first.headers["location"], "admin")
    assert "Credit note CN-000001 issued." in page_text(done)
    for name in ("get_invoice_file", "get_invoice_ubl"):
        assert f'href="/desk/act/{name}?invoice_id=' in done.text
    assert (await shown(app, invoice.id)).credited_minor == 665


async def test_a_preview_can_be_changed(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    page = await send_form(app, PAGE, "admin", **fields_of(invoice, {0: "5.65"}, "preview"))
    edited = await send_form(app, PAGE, "admin", **(hidden_fields(page) | {"step": "edit"}))
    assert edited.status_code == 200
    assert 'value="5.65"' in edited.text
    assert 'value="Late"' in edited.text
    assert edited.text.count(" checked") == 1


async def test_faults_stand_on_the_form_with_what_was_typed(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    for fields, status, said in (
        (fields_of(invoice, {0: "11.31"}, "preview"), 409, "11.30 CAD"),
        (fields_of(invoice, {0: "ten"}, "preview"), 200, "“ten”"),
        (fields_of(invoice, {}, "preview"), 422, "Select at least one line."),
        (fields_of(invoice, {0: "1"}, "preview", reason=" "), 422, "Enter a reason."),
        (fields_of(invoice, {0: "1"}, "issue", csrf="wrong"), 403, ""),
    ):
        page = await send_form(app, PAGE, "admin", **fields)
        assert page.status_code == status
        assert said in page_text(page), page_text(page)
    assert (await shown(app, invoice.id)).credited_minor == 0


async def test_a_credited_invoice_has_nothing_left_to_credit(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    await app.answer("admin", "credit_invoice", {"invoice_id": invoice.id, "reason": "Late"})
    assert "Nothing left to credit" in page_text(await credit_form(app, invoice))


async def test_only_staff_of_the_business_credit_and_void(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    for who in ("customer", "rival"):
        for address in (PAGE, VOID):
            assert (await get_page(app, f"{address}?invoice_id={invoice.id}", who)).status_code == 404
            sent = await send_form(app, address, who, **fields_of(invoice, {0: "1"}, "issue"))
            assert sent.status_code == 404
    assert (await shown(app, invoice.id)).status.value == "open"


async def test_an_invoice_page_leads_to_both_pages(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    page = await get_page(app, f"/desk/invoices/{invoice.id}", "admin")
    for address in (PAGE, VOID):
        assert f'href="{address}?invoice_id={invoice.id}"' in page.text


async def test_voiding_states_its_consequences_first(app: App) -> None:
    invoice = await make_mixed_invoice(app)
    told = page_text(await get_page(app, f"{VOID}?invoice_id={invoice.id}", "admin"))
    assert "Its charges (3, CA$26.50) move to the customer’s next invoice." in told
    sent = await send_form(app, VOID, "admin", invoice_id=str(invoice.id), reason="Wrong name", once="a")
    assert sent.headers["location"] == f"/desk/invoices/{invoice.id}?done=void_invoice"
    assert ((await shown(app, invoice.id)).status.value, (await shown(app, invoice.id)).reason) == (
        "void",
        "Wrong name",
    )


async def test_an_invoice_that_cannot_be_voided_offers_a_credit_note(app: App) -> None:
    await make_billing_business(app, dunning=[])
    await charged(app, 1_000)
    older = await issued(app)
    await charged(app, 1_000)
    await issued(app)
    page = await get_page(app, f"{VOID}?invoice_id={older.id}", "admin")
    assert "isn’t the customer’s newest invoice" in page_text(page)
    assert f'href="{PAGE}?invoice_id={older.id}"' in page.text
    sent = await send_form(app, VOID, "admin", invoice_id=str(older.id), reason="", once="a")
    assert sent.status_code == 422
