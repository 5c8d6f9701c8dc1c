"""Every payable can be cancelled after a refund or credit, without paying twice."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import issued
from tests.contexts.billing.ledger.makers import credit, faults, some_credit
from tests.contexts.billing.services.makers import a_service
from tests.contexts.booking.reservations.makers import a_priced_visit
from tests.contexts.lockers import device_makers
from tests.contexts.lockers.luggage.makers import a_relay
from tests.contexts.lockers.resale_makers import a_resale
from tests.contexts.lockers.shop.makers import a_shop
from tests.contexts.shipping.examples import TARIFF
from tests.contexts.shipping.makers import a_house_account, buy
from tests.contexts.shipping.shipping_orders.makers import an_order as a_shipping_order
from tests.contexts.storage.examples import HOME, PRICING
from tests.contexts.storage.makers import a_shelf, a_tariff, stored
from tests.contexts.storage.makers import an_order as a_storage_order
from tests.support.app import App

Cancel = tuple[str, str, dict[str, Any]]
"""The caller, the operation and its values."""


async def confirmed(app: App, who: str, operation: str, **values: Any) -> Any:
    outcome = await app.call(who, operation, values, confirmed=True)
    assert outcome.error is None, outcome.error
    return outcome.answer


async def a_label(app: App) -> Cancel:
    account_id = await a_house_account(app)
    await app.answer("admin", "set_carrier_tariff", {"account_id": account_id, "tariff": TARIFF})
    label = await buy(app, "customer")
    return "customer", "cancel_shipping_label", {"shipment_id": label.id}


async def a_paid_shipping_order(app: App) -> Cancel:
    named = {"shipping_order_id": (await a_shipping_order(app)).id}
    await confirmed(app, "customer", "pay_shipping_order", **named)
    return "customer", "cancel_shipping_order", named


async def a_paid_storage_order(app: App) -> Cancel:
    await a_tariff(app)
    named = {"storage_order_id": (await a_storage_order(app)).id}
    await confirmed(app, "customer", "pay_storage_order", **named)
    return "customer", "cancel_storage_order", named


async def a_paid_shipout(app: App) -> Cancel:
    await a_tariff(app)
    await a_service(app, "send", "shipout", form=[], pricing=PRICING)
    ids = await stored(app, (await a_storage_order(app)).id, await a_shelf(app), 1)
    asked = {"service_code": "send", "parcels": [{"package_ids": ids}], "consignee": HOME}
    named = {"shipout_id": (await app.answer("customer", "create_shipout", asked)).shipout.id}
    await confirmed(app, "customer", "pay_shipout", **named)
    return "customer", "cancel_shipout", named


async def a_lease(app: App) -> Cancel:
    lease = await (await a_resale(app)).lease()
    return "admin", "revoke_locker_lease", {"locker_lease_id": lease.id, "reason": "Wrong site"}


async def a_purchase(app: App) -> Cancel:
    purchase = await (await a_shop(app)).buy()
    return "admin", "refund_shop_purchase", {"shop_purchase_id": purchase.id, "reason": "Broken"}


async def a_luggage_booking(app: App) -> Cancel:
    booking = await (await a_relay(app, money=0)).paid()
    return "customer", "cancel_luggage_booking", {"luggage_id": booking.id}


async def a_device_order(app: App) -> Cancel:
    await device_makers.a_catalogue(app)
    order = await device_makers.confirmed(app)
    await device_makers.step(app, "pay_device_order", order.id)
    return "customer", "cancel_device_order", {"device_order_id": order.id}


async def a_visit(app: App) -> Cancel:
    return "customer", "cancel_reservation", {"reservation_id": await a_priced_visit(app, "customer")}


KINDS: list[Callable[[App], Awaitable[Cancel]]] = [
    *(a_label, a_paid_shipping_order, a_paid_storage_order, a_paid_shipout, a_lease, a_purchase),
    *(a_luggage_booking, a_device_order, a_visit),
]


async def refunded(app: App, charges: list[int]) -> None:
    for charge in charges:
        given = {"transfer_id": charge, "reference": "R", "reason": "Complaint"}
        await app.answer("admin", "refund_charge", given)


async def credited(app: App, charges: list[int]) -> None:
    invoice = await issued(app)
    await app.answer("admin", "credit_invoice", {"invoice_id": invoice.id, "reason": "Complaint"})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("give_back", [refunded, credited], ids=lambda way: way.__name__)
async def test_a_charge_that_was_given_back_is_cancelled_without_money(
    sqlite_app: App, kind: Callable[[App], Awaitable[Cancel]], give_back: Callable[[App, list[int]], Awaitable[None]]
) -> None:
    # The database has no part in it: the locks are tried on both in test_given_back.py.
    app = sqlite_app
    await some_credit(app, 10**7)
    before = (await credit(app))[0]
    who, operation, values = await kind(app)
    paid = (await app.answer("admin", "list_ledger_transfers")).transfers
    charges = [each.id for each in paid if each.kind in {"charge", "capture"}]
    assert charges
    await give_back(app, charges)
    whole = (await credit(app))[0]
    assert whole >= before
    await confirmed(app, who, operation, **values)
    await app.work_off()
    assert (await credit(app))[0] == whole
    assert await faults(app) == []


DESCRIBED = {
    "a_label": ("Ground", True, "Ada", ()),
    "a_paid_shipping_order": ("Same day in the city", False, "Ada Lovelace", ("HST",)),
    "a_paid_storage_order": ("Boxes", False, None, None),
    "a_paid_shipout": ("Same day in the city", False, "Ada", ("tax",)),
    "a_lease": ("Small boxes at Union Station", False, None, None),
    "a_purchase": ("Earl Grey, tin", True, None, ("HST",)),
    "a_luggage_booking": ("Bags in the city", True, "Ada", ("HST",)),
    "a_device_order": ("2 × Hand scanner 2D", False, "Ada", None),
    "a_visit": ("Dock of customer", False, None, None),
}
"""Item, presence of a reference, recipient and names of stated taxes of the charge of each kind."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
async def test_an_invoice_describes_each_charge(sqlite_app: App, kind: Callable[[App], Awaitable[Cancel]]) -> None:
    app = sqlite_app
    await some_credit(app, 10**7)
    await kind(app)
    (line,) = [line for line in (await issued(app)).lines if line.kind in {"charge", "capture"}]
    taxes = None if line.taxes is None else tuple(tax.name for tax in line.taxes)
    assert (line.item, line.reference is not None, line.recipient, taxes) == DESCRIBED[kind.__name__]
    assert line.serviced_on is not None
