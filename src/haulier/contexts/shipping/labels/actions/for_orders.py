"""The label of what a customer ordered otherwise: bought for the business by a job, by a named service or the cheapest."""

from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct
from pydantic import ValidationError

from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.shipping.accounts.queries import get_default_account
from haulier.contexts.shipping.accounts.serializers import join_remarks
from haulier.contexts.shipping.labels.actions.carrier_rates import Rated, rate_terms, with_incomparable
from haulier.contexts.shipping.labels.actions.purchases import settle_purchase
from haulier.contexts.shipping.labels.actions.submissions import Draft, submit_shipment
from haulier.contexts.shipping.labels.actions.voids import begin_void, is_beyond_caller
from haulier.contexts.shipping.labels.contract.rates import PurchaseTerms
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.queries import get_shipment_of_business
from haulier.contexts.shipping.labels.rules.lifecycle import ShipmentState
from haulier.contexts.shipping.labels.rules.rates import Remark, cheapest
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.principal import Business

_UNDER_WAY = frozenset({ShipmentState.IN_TRANSIT, ShipmentState.DELIVERED})


class LabelRequest(Struct, frozen=True):
    """What the carrier is asked for. Without a service, its cheapest one."""

    business: Business
    terms: ShipmentTerms
    account_id: int | None
    service: str | None


Submit = Callable[[Call], Awaitable[int]]
"""Writes the shipment and claims its purchase, within the caller's transaction; gives its id."""
Claim = Callable[[Call, Submit], Awaitable[int | None]]
"""Looks again whether the label is still wanted, submits it, and keeps its id; None where it is not wanted any more."""


async def buy_label_for(
    app: Application, client_id: int, wanted: LabelRequest, order_ref: str, claim: Claim
) -> str | None:
    """Buy a label. Harmless to repeat: the reference is the label's. Returns why no carrier offers one, or None.

    Raises nothing for what carriers refuse; `claim` is called in a transaction of its own, once there is an offer.
    """
    try:
        rated = await _rate(app, wanted)
    except (OperationError, ValidationError) as fault:
        return str(fault)
    offer = cheapest(rated.offers, wanted.business.currency)
    if offer is None:
        rated = with_incomparable(app, rated, rated.offers, wanted.business.currency)
        async with app.database.read(client_id) as work:
            language = get_client_language(await require_client(work, client_id))
        return join_remarks(app, language, rated.remarks) or "-"

    async def submit(call: Call) -> int:
        purchase = PurchaseTerms(order_ref=order_ref)
        submitted = await submit_shipment(call, Draft(terms=wanted.terms, offer=offer, purchase=purchase))
        return submitted.row.id

    async with app.database.write(client_id) as work:
        shipment_id = await claim(await call_as_system(app, client_id, work), submit)
    if shipment_id is not None:
        await settle_purchase(app, client_id, shipment_id)
    return None


async def account_or_default(work: UnitOfWork, account_id: int | None) -> int | None:
    """An account with a carrier, or the default one where none is named; None where there is none."""
    if account_id is not None:
        return account_id
    default = await get_default_account(work)
    return default and default.id


async def withdraw_label(call: Call, shipment_id: int) -> bool:
    """Give a label back that is not wanted any more. False where the carrier has the parcels already."""
    shipment = await get_shipment_of_business(call, shipment_id, lock=True)
    if shipment is None:
        return True
    if shipment.state in _UNDER_WAY or (shipment.state == ShipmentState.PURCHASED and is_beyond_caller(call, shipment)):
        return False
    # Why not now: the carrier is being asked; a label that comes of it is given back when it is there.
    if shipment.state != ShipmentState.PURCHASE_UNKNOWN:
        await begin_void(call, shipment)
    return True


async def purchase_fault(call: Call, shipment_id: int) -> str:
    """Return why a carrier sold no label, in the language of the business."""
    shipment = await get_shipment_of_business(call, shipment_id)
    remarks = msgspec.convert(shipment.messages if shipment else [], list[Remark])
    language = get_client_language(await require_client(call.work, call.client_id))
    return join_remarks(call.app, language, remarks) or "-"


async def _rate(app: Application, wanted: LabelRequest) -> Rated:
    return await rate_terms(
        app,
        wanted.business,
        wanted.terms,
        account_ids=[wanted.account_id] if wanted.account_id else [],
        services=[wanted.service] if wanted.service else [],
    )
