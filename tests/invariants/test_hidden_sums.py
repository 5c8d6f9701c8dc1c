"""Hidden prices cannot be derived: price filters are refused, sums are hidden."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from typing import Any, get_type_hints

from tests.contexts.shipping.examples import SHIPMENT, TARIFF
from tests.contexts.shipping.makers import make_platform_account
from tests.contexts.storage.makers import refusal
from tests.invariants.price_requests import price_request
from tests.invariants.price_walk import CUSTOMERS, Records, give_credit, make_customer_with_records, records_within
from tests.support.app import App

from haulier.contexts.billing.public import MoneySubject, charge, hold_credit, top_up
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, PriceFamily, Risk
from haulier.kernel.pipeline.hide_prices import price_comparisons, price_fields, sum_fields
from haulier.kernel.values.money import Money

BOUND = re.compile(
    r"(^|_)(max|min|most|least|up_to|below|above)_(price|amount|cost|total|fee|charge)|(price|cost|fee)_(max|min|limit)|budget"
)
SUM = re.compile(r"(^|_)(balance|opening|closing|held|available|paid|due|spent|owed|credit)_minor$")
OWN_MONEY = frozenset({"CodAmounts", "CodReportLine"})
"""Cash that recipients paid for the customer's goods: no price of the business is part of it."""
HIDDEN = 7_654_321
"""A price that no other record has."""
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def test_every_price_filter_is_marked() -> None:
    named = {
        f"{operation.name}.{name}"
        for operation in CUSTOMERS
        for name in operation.request.model_fields
        if BOUND.search(name) and name not in price_comparisons(operation.request)
    }
    assert sorted(named) == []
    marked = {operation.name for operation in CUSTOMERS if price_comparisons(operation.request)}
    assert marked == {"quote_and_ship", "list_reservations"}


def test_every_sum_over_the_ledger_is_marked() -> None:
    named = {
        f"{kind.__name__}.{name}"
        for operation in CUSTOMERS
        for kind in records_within(operation.answer)
        if kind.__name__ not in OWN_MONEY
        for name in get_type_hints(kind)
        if SUM.search(name) and name not in price_fields(kind).keys() | sum_fields(kind)
    }
    assert sorted(named) == []


async def hide(app: App, *families: str) -> None:
    hidden = {"customer_id": app.ids["customer"], "hidden": list(families)}
    await app.answer("admin", "set_price_visibility", hidden)


async def test_a_price_limit_is_refused_when_label_prices_are_hidden(sqlite_app: App) -> None:
    # The database has no part in it: the pipeline refuses before a statement is run.
    app = sqlite_app
    account_id = await make_platform_account(app)
    await app.answer("admin", "set_carrier_tariff", {"account_id": account_id, "tariff": TARIFF})
    await give_credit(app, "customer")
    await hide(app, "label_service")
    asked = {"shipment": SHIPMENT, "max_price_minor": 10**6}
    for words in ({"dry_run": True}, {"approval_from": Risk.LOW}, {}):
        refused = await app.call("customer", "quote_and_ship", asked, **words)
        assert refused.error
        assert (refused.status, refused.error["code"]) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
        assert [each["field"] for each in refused.error["errors"]] == ["max_price_minor"]
    proposed = {"tool": "quote_and_ship", "arguments": asked}
    assert await refusal(app, "customer", "propose_write", proposed) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    assert (await app.call("customer", "quote_and_ship", {"shipment": SHIPMENT}, dry_run=True)).error is None
    await hide(app, "storage_services")
    assert (await app.call("customer", "quote_and_ship", asked, dry_run=True)).error is None


async def test_hidden_charges_change_no_number_visible_to_the_customer(sqlite_app: App) -> None:
    # The database has no part in it: what is hidden is decided by the types of answers.
    app = sqlite_app
    records = await make_customer_with_records(app, "customer")
    await hide(app, "label_service")
    before = await numbers_read(app, records)
    assert len(before) > 20
    client_id = app.clients["demo"]
    async with app.database.write(client_id) as work:
        call = await call_as_system(app.application, client_id, work)
        label = MoneySubject("label", records.known["shipment_id"], PriceFamily.LABEL_SERVICE)
        customer = app.ids["customer"]
        await charge(call, customer, Money(HIDDEN, "CAD"), key="hidden", subject=label)
        await hold_credit(call, customer, Money(HIDDEN, "CAD"), key="hidden", subject=label)
    await app.work_off()
    after = await numbers_read(app, records)
    assert sorted(revealed(before, after)) == []


async def test_visible_charges_change_the_same_numbers(sqlite_app: App) -> None:
    """Verify the test above: the reads change if prices are visible."""
    app = sqlite_app
    client_id = app.clients["demo"]
    records = Records({"customer_id": app.ids["customer"]}, 0)
    async with app.database.write(client_id) as work:
        call = await call_as_system(app.application, client_id, work)
        await top_up(call, app.ids["customer"], Money(10**8, "CAD"), key="money")
    before = await numbers_read(app, records, "get_account_credits", "get_credit_statement")
    async with app.database.write(client_id) as work:
        call = await call_as_system(app.application, client_id, work)
        label = MoneySubject("label", 1, PriceFamily.LABEL_SERVICE)
        await charge(call, app.ids["customer"], Money(HIDDEN, "CAD"), key="seen", subject=label)
    after = await numbers_read(app, records, "get_account_credits", "get_credit_statement")
    assert revealed(before, after) == {"get_account_credits", "get_credit_statement"}


def bears_money(operation: Operation[Any, Any]) -> bool:
    named = re.compile(r"_minor$|price|amount|fee|cost|balance|credit|document$")
    return any(named.search(name) for kind in records_within(operation.answer) for name in get_type_hints(kind))


async def numbers_read(app: App, records: Records, *only: str) -> dict[str, set[int]]:
    """Return the numbers in each answer with money that the customer can read.

    They are in minor units, by operation.
    """
    found: dict[str, set[int]] = {}
    for operation in CUSTOMERS:
        if operation.effect is not Effect.READ or not bears_money(operation) or (only and operation.name not in only):
            continue
        values = {} if only else price_request(operation, records)
        for extra in ({}, {"format": "csv"}) if operation.name == "get_credit_statement" else ({},):
            outcome = await app.call("customer", operation.name, {**values, **extra})
            text = encode_json(outcome.answer if outcome.error is None else outcome.error).decode()
            found[operation.name] = found.get(operation.name, set()) | set(numbers_in(text))
    return found


def numbers_in(text: str) -> Iterator[int]:
    for word in NUMBER.findall(text):
        yield int(re.sub(r"[.,]", "", word))
    for encoded in re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", text):
        try:
            yield from numbers_in(b64decode(encoded, validate=True).decode())
        except (NotBase64, UnicodeDecodeError):
            continue


def revealed(before: dict[str, set[int]], after: dict[str, set[int]]) -> set[str]:
    """Return the operations with numbers that reveal a hidden price."""
    steps = {HIDDEN, 2 * HIDDEN}
    return {
        name
        for name, numbers in after.items()
        for number in numbers - before.get(name, set())
        if number in steps
        or any(abs(number - old) in steps or number + old in steps for old in before.get(name, set()))
    }


async def test_any_hidden_family_hides_the_balances(sqlite_app: App) -> None:
    app = sqlite_app
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await top_up(call, app.ids["customer"], Money(1000, "CAD"), key="money")
    for family in PriceFamily:
        await hide(app, family.value)
        (credit,) = (await app.rest("customer", "GET", "/v1/billing/my-credit")).json()["credits"]
        assert credit["price_hidden"] is True
        assert not {"balance_minor", "held_minor", "available_minor"} & credit.keys()
        statement = (await app.rest("customer", "GET", "/v1/billing/statement")).json()
        assert not {"opening_minor", "closing_minor"} & statement.keys()
