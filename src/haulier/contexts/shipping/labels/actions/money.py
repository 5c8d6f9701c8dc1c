"""The money of a label: held before its carrier is asked, taken once it is bought, given back when it is not, or is voided.

Customers pay from their wallet. Where their prices are hidden, they settle with the business itself, and nothing is held.
"""

import logging

from haulier.contexts.billing.public import (
    MoneySubject,
    capture_hold,
    give_back,
    hold_credit,
    record_carrier_cost,
    void_hold,
)
from haulier.contexts.identity.public import get_customer_principal
from haulier.contexts.shipping.accounts.contract.tariffs import LABELS
from haulier.contexts.shipping.accounts.rules.accounts import HOUSE
from haulier.contexts.shipping.labels.rules.rates import Offer
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money

log = logging.getLogger("haulier.shipping")


async def hold_price(call: Call, row: store.ShipmentRow, offer: Offer) -> None:
    """Hold what a label costs its customer. Raises `CREDIT_INSUFFICIENT`."""
    claims = row.claims + 1
    values: dict[str, int | None] = {"claims": claims, "hold_id": None}
    if await _pays(call, row) and offer.price.minor > 0:
        key = f"label:{row.id}:hold:{claims}"
        hold = await hold_credit(call, row.customer_id or 0, offer.price, key=key, subject=_subject(row))
        values["hold_id"] = hold.id
    await store.update_shipment_row(call.work, row.id, values)


async def take_price(call: Call, row: store.ShipmentRow, cost: Money | None) -> None:
    """Take what was held, and write down what the carrier asks. Nothing of it may keep a bought label from being stored."""
    values: dict[str, int | None] = {}
    try:
        async with call.savepoint():
            if row.hold_id is not None:
                taken = await capture_hold(call, row.hold_id, key=f"label:{row.id}:purchase:{row.claims}")
                values["transfer_id"] = taken.transfer_id
            if cost is not None and cost.minor > 0 and row.carrier != HOUSE:
                key = f"label:{row.id}:cost:{row.claims}"
                values["cost_transfer_id"] = (
                    await record_carrier_cost(call, cost, key=key, subject=_subject(row))
                ).transfer_id
    except OperationError:
        log.exception("the money of shipment %s was not posted", row.id)
        return
    if values:
        await store.update_shipment_row(call.work, row.id, values)


async def release_price(call: Call, row: store.ShipmentRow) -> None:
    """Give back what was held for a label that was not bought."""
    if row.hold_id is not None:
        await void_hold(call, row.hold_id)


async def return_price(call: Call, row: store.ShipmentRow) -> None:
    """Give back what is left of the price and the cost of a voided label."""
    for name, transfer_id in (("void", row.transfer_id), ("cost_void", row.cost_transfer_id)):
        if transfer_id is not None:
            await give_back(call, transfer_id, key=f"label:{row.id}:{name}:{row.claims}")


async def _pays(call: Call, row: store.ShipmentRow) -> bool:
    if row.customer_id is None:
        return False
    customer = await get_customer_principal(call.work, call.business, row.customer_id)
    return customer is not None and not customer.hides(LABELS)


def _subject(row: store.ShipmentRow) -> MoneySubject:
    return MoneySubject("label", row.id, LABELS)
