"""Credit at every interface: staff operations, customer views and permissions."""

import csv
import io
from datetime import timedelta

import pypdfium2
from tests.contexts.billing.ledger.makers import LABEL, cad, faults, make_call, some_credit
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.support.app import App
from tests.support.transport import status_and_code

from haulier.contexts.billing import public as billing
from haulier.kernel.operations.enums import PriceFamily


async def top_up(app: App, amount: int, reference: str, who: str = "customer") -> int:
    paid = {"customer_id": app.ids[who], "amount_minor": amount, "reference": reference}
    return (await app.answer("admin", "top_up_credit", paid)).transfer_id


async def test_a_payment_is_counted_once_and_sent_to_webhooks(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "credit.changed")
        paid = {
            "customer_id": app.ids["customer"],
            "amount_minor": 5000,
            "reference": "Transfer 4711",
            "paid_by": "cash",
        }
        first = await app.answer("employee", "top_up_credit", paid)
        again = await app.answer("admin", "top_up_credit", paid)
        assert (first.credit.balance_minor, first.repeated, again.repeated) == (5000, False, True)
        assert again.transfer_id == first.transfer_id
        assert status_and_code(await app.call("admin", "top_up_credit", {**paid, "amount_minor": 4000})) == (
            409,
            "LEDGER_KEY_REUSED",
        )
        await app.work_off()
        assert [message.document["data"] for message in receiver.received] == [
            {"customer_id": app.ids["customer"], "transfer_id": first.transfer_id, "reason_kind": "top_up"}
        ]
    found = (await app.answer("admin", "list_ledger_accounts")).accounts
    assert [(one.kind, one.owner_id, one.balance_minor, one.side) for one in found] == [
        ("cash", None, 5000, "debit"),
        ("wallet", app.ids["customer"], 5000, "credit"),
    ]


async def test_a_customer_sees_only_their_own_credit(app: App) -> None:
    await some_credit(app, 1000, limit=200)
    await some_credit(app, 7000, who="customer2")
    async with make_call(app) as call:
        await billing.hold_credit(call, app.ids["customer"], cad(300), key="h", subject=LABEL)
    own = await app.answer("customer", "get_account_credits")
    (credit,) = own.credits
    assert (credit.balance_minor, credit.held_minor, credit.limit_minor, credit.available_minor) == (
        1000,
        300,
        200,
        900,
    )
    assert [(hold.held_amount_minor, hold.subject_kind, hold.subject_id) for hold in own.holds] == [(300, "label", 17)]
    asked = {"customer_id": app.ids["customer2"]}
    statement = await app.answer("customer", "get_credit_statement", asked)
    assert (statement.customer_id, statement.closing_minor) == (app.ids["customer"], 1000)
    for who, operation in (("driver", "get_account_credits"), ("customer", "list_customer_credits")):
        assert (await app.call(who, operation)).status == 403
    assert (await app.call("admin", "get_credit_statement", {"customer_id": app.ids["driver"]})).status == 409
    assert (await app.call("rival", "get_credit_statement", asked)).status == 404


async def test_paged_statements_add_up(app: App) -> None:
    customer = app.ids["customer"]
    for n in range(3):
        await top_up(app, 1000, f"T{n}")
        app.clock.forward(days=1)
    period = {"customer_id": customer, "date_from": "2026-06-11", "date_to": "2026-06-12", "per_page": 1}
    first = await app.answer("admin", "get_credit_statement", period)
    assert (first.opening_minor, first.closing_minor) == (1000, 3000)
    second = await app.answer("admin", "get_credit_statement", {**period, "cursor": first.next_cursor})
    assert second.next_cursor is None
    lines = [*first.entries, *second.entries]
    assert [(line.amount_minor, line.balance_minor) for line in lines] == [(1000, 2000), (1000, 3000)]
    asked = await app.rest(
        "admin", "GET", f"/v1/billing/statement?customer_id={customer}", headers={"accept": "text/csv"}
    )
    assert [row["balance_minor"] for row in csv.DictReader(io.StringIO(asked.text))] == ["1000", "2000", "3000"]
    pdf = await app.rest(
        "admin",
        "GET",
        f"/v1/billing/statement?customer_id={customer}&per_page=2",
        headers={"accept": "application/pdf"},
    )
    (page,) = pypdfium2.PdfDocument(pdf.content)
    text = page.get_textpage().get_text_bounded()
    for said in (
        "Balance statement",
        "Demo",
        "Customer",
        "Payment received",
        "CA$10.00",
        "CA$20.00",
        "More entries",
    ):
        assert said in text, (said, text)
    empty = await app.answer("admin", "get_credit_statement", {"customer_id": app.ids["customer2"]})
    assert (empty.opening_minor, empty.closing_minor, empty.entries) == (0, 0, [])


async def test_a_statement_of_any_length_uses_a_constant_number_of_queries(app: App) -> None:
    asked = {"customer_id": app.ids["customer"], "date_from": "2026-06-10"}

    async def cost() -> int:
        before = app.statements
        await app.answer("admin", "get_credit_statement", asked)
        return app.statements - before

    await top_up(app, 100, "T")
    one = await cost()
    for n in range(30):
        await top_up(app, 100, f"T{n}")
    assert await cost() == one


async def test_amounts_of_hidden_families_are_omitted(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        for number, family in enumerate((PriceFamily.LABEL_SERVICE, PriceFamily.LOCAL_DELIVERY)):
            about = billing.MoneySubject("label", number, family)
            await billing.charge(call, customer, cad(100), key=f"c{number}", subject=about)
            await billing.hold_credit(call, customer, cad(50), key=f"h{number}", subject=about)
    hidden = {"customer_id": customer, "hidden": ["label_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    asked = await app.rest("customer", "GET", "/v1/billing/statement")
    lines = asked.json()["entries"]
    assert [line.get("amount_minor") for line in lines] == [1000, None, -100]
    assert [line.get("price_hidden") for line in lines] == [None, True, None]
    assert [line for line in lines if "balance_minor" in line] == []
    holds = (await app.rest("customer", "GET", "/v1/billing/my-credit")).json()["holds"]
    assert [hold.get("held_amount_minor") for hold in holds] == [None, 50]
    document = await app.rest("customer", "GET", "/v1/billing/statement", headers={"accept": "text/csv"})
    assert [row["amount_minor"] for row in csv.DictReader(io.StringIO(document.text))] == ["1000", "", "-100"]


async def test_a_charge_is_refunded_in_parts_and_transfers_are_found_by_subject(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        charge = await billing.charge(call, customer, cad(500), key="c", subject=LABEL)
        cost = await billing.record_carrier_cost(call, cad(400), key="cost", subject=LABEL)
    given = {"transfer_id": charge.transfer_id, "amount_minor": 200, "reference": "Complaint 1", "reason": "Late"}
    shown = await app.call("admin", "refund_charge", given, dry_run=True)
    moved = {"ledger_account", "ledger_transfer", "ledger_entry"}
    assert {change.record for change in shown.changes or ()} - {"billing_terms"} == moved
    assert (await app.answer("admin", "refund_charge", given)).credit.balance_minor == 700
    rest = {"transfer_id": charge.transfer_id, "reference": "Complaint 2", "reason": "Lost"}
    assert (await app.answer("admin", "refund_charge", rest)).credit.balance_minor == 1000
    assert (await app.call("admin", "refund_charge", {**rest, "transfer_id": cost.transfer_id})).status == 404
    about = {"subject_kind": "label", "subject_id": 17}
    first = await app.answer("admin", "list_ledger_transfers", {**about, "per_page": 3})
    assert [one.kind for one in first.transfers] == ["refund", "refund", "carrier_cost"]
    second = await app.answer("admin", "list_ledger_transfers", {**about, "cursor": first.next_cursor})
    assert [(one.kind, one.debit, one.debit_owner_id, one.credit) for one in second.transfers] == [
        ("charge", "wallet", customer, "revenue")
    ]
    assert [
        one.reason for one in (await app.answer("admin", "list_ledger_transfers", {"kind": "refund"})).transfers
    ] == [
        "Lost",
        "Late",
    ]
    assert await faults(app) == []


async def test_debtors_are_listed_and_writing_requires_the_scope(app: App) -> None:
    await some_credit(app, 100, limit=500)
    await some_credit(app, 100, who="customer2")
    async with make_call(app) as call:
        await billing.charge(call, app.ids["customer"], cad(300), key="c", subject=LABEL)
    owing = await app.answer("employee", "list_customer_credits", {"owing": True})
    assert [(one.customer_id, one.balance_minor) for one in owing.credits] == [(app.ids["customer"], -200)]
    assert (await app.answer("admin", "list_customer_credits")).total == 2
    change = {"customer_id": app.ids["customer"], "amount_minor": 1, "reference": "x", "reason": "x"}
    for who in ("customer", "driver", "contractor"):
        assert (await app.call(who, "adjust_credit", change)).status == 403


async def test_wallet_timestamps_never_decrease(app: App) -> None:
    await top_up(app, 100, "A")
    app.clock.now -= timedelta(hours=1)
    await top_up(app, 100, "B")
    lines = (await app.answer("customer", "get_credit_statement", {})).entries
    assert lines[0].at == lines[1].at
