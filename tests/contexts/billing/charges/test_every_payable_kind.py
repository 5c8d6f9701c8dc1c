"""Every payable can be cancelled after a refund or credit, without paying twice."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.contexts.billing.invoices.makers import issued
from tests.contexts.billing.ledger.makers import credit, faults, some_credit
from tests.contexts.billing.services.makers import make_service
from tests.contexts.booking.reservations.makers import make_priced_visit
from tests.contexts.lockers import device_makers
from tests.contexts.lockers.luggage.makers import make_relay
from tests.contexts.lockers.resale_makers import make_resale
from tests.contexts.lockers.shop.makers import make_shop
from tests.contexts.shipping.examples import TARIFF
from tests.contexts.shipping.makers import buy, make_platform_account
from tests.contexts.shipping.shipping_orders.makers import make_order as make_shipping_order
from tests.contexts.storage.examples import HOME, PRICING
from tests.contexts.storage.makers import make_order as make_storage_order
from tests.contexts.storage.makers import make_shelf, make_tariff, stored
from tests.support.app import App

Cancel = tuple[str, str, dict[str, Any]]
"""The caller, the operation and its values."""


async def confirmed(app: App, who: str, operation: str, **values: Any) -> Any:
    outcome = await app.call(who, operation, values, confirmed=True)
    assert outcome.error is None, outcome.error
    return outcome.answer


async def make_label(app: App) -> Cancel:
    account_id = await make_platform_account(app)
    await app.answer("admin", "set_carrier_tariff", {"account_id": account_id, "tariff": TARIFF})
    label = await buy(app, "customer")
    return "customer", "cancel_shipping_label", {"shipment_id": label.id}


async def make_paid_shipping_order(app: App) -> Cancel:
    named = {"shipping_order_id": (await make_shipping_order(app)).id}
    await confirmed(app, "customer", "pay_shipping_order", **named)
    return "customer", "cancel_shipping_order", named


async def make_paid_storage_order(app: App) -> Cancel:
    await make_tariff(app)
    named = {"storage_order_id": (await make_storage_order(app)).id}
    await confirmed(app, "customer", "pay_storage_order", **named)
    return "customer", "cancel_storage_order", named


async def make_paid_shipout(app: App) -> Cancel:
    await make_tariff(app)
    await make_service(app, "send", "shipout", form=[], pricing=PRICING)
    ids = await stored(app, (await make_storage_order(app)).id, await make_shelf(app), 1)
    asked = {"service_code": "send", "parcels": [{"package_ids": ids}], "consignee": HOME}
    named = {"shipout_id": (await app.answer("customer", "create_shipout", asked)).shipout.id}
    await confirmed(app, "customer", "pay_shipout", **named)
    return "customer", "cancel_shipout", named


async def make_lease(app: App) -> Cancel:
    lease = await (await make_resale(app)).lease()
    return "admin", "revoke_locker_lease", {"locker_lease_id": lease.id, "reason": "Wrong site"}


async def make_purchase(app: App) -> Cancel:
    purchase = await (await make_shop(app)).buy()
    return "admin", "refund_shop_purchase", {"shop_purchase_id": purchase.id, "reason": "Broken"}


async def make_luggage_booking(app: App) -> Cancel:
    booking = await (await make_relay(app, money=0)).paid()
    return "customer", "cancel_luggage_booking", {"luggage_id": booking.id}


async def make_device_order(app: App) -> Cancel:
    await device_makers.make_catalogue(app)
    order = await device_makers.confirmed(app)
    await device_makers.step(app, "pay_device_order", order.id)
    return "customer", "cancel_device_order", {"device_order_id": order.id}


async def make_visit(app: App) -> Cancel:
    return "customer", "cancel_reservation", {"reservation_id": await make_priced_visit(app, "customer")}


KINDS: list[Callable[[App], Awaitable[Cancel]]] = [
    *(make_label, make_paid_shipping_order, make_paid_storage_order, make_paid_shipout, make_lease, make_purchase),
    *(make_luggage_booking, make_device_order, make_visit),
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
async def test_a_refunded_charge_is_cancelled_without_a_payment(
    sqlite_app: App,
    kind: Callable[[App], Awaitable[Cancel]],
    give_back: Callable[[App, list[int]], Awaitable[None]],
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
    "make_label": ("Ground", True, "Ada", ()),
    "make_paid_shipping_order": ("Same day in the city", False, "Ada Lovelace", ("HST",)),
    "make_paid_storage_order": ("Boxes", False, None, None),
    "make_paid_shipout": ("Same day in the city", False, "Ada", ("tax",)),
    "make_lease": ("Small boxes at Union Station", False, None, None),
    "make_purchase": ("Earl Grey, tin", True, None, ("HST",)),
    "make_luggage_booking": ("Bags in the city", True, "Ada", ("HST",)),
    "make_device_order": ("2 × Hand scanner 2D", False, "Ada", None),
    "make_visit": ("Dock of customer", False, None, None),
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
