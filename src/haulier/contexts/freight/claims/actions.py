"""Writes of freight claims, within the caller's transaction.

Lock order: shipment, claim, then the charge.
"""

from datetime import timedelta
from typing import Any

from haulier.contexts.billing.ledger.rules import REFUND_TOO_MUCH
from haulier.contexts.billing.public import adjust, refund
from haulier.contexts.documents.public import save_upload
from haulier.contexts.freight.claims.contract import DecideFreightClaim, FileFreightClaim
from haulier.contexts.freight.claims.queries import CLAIM_SUBJECT
from haulier.contexts.freight.claims.rules import (
    FREIGHT_CLAIM_DECIDED,
    FREIGHT_CLAIM_OPEN,
    FREIGHT_CLAIM_TOO_EARLY,
    FREIGHT_CLAIM_TOO_LATE,
    NEEDS_DELIVERY,
    FreightClaimKind,
    FreightClaimState,
    is_concealed,
    last_day,
)
from haulier.contexts.freight.claims.store import FreightClaimRow
from haulier.contexts.freight.shipments.queries import FreightShipmentRow, get_visible_shipment
from haulier.contexts.freight.tariffs.contract import FreightRate, SetFreightTariff
from haulier.contexts.freight.tariffs.queries import find_policy
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.values.money import Money

DEFAULT_POLICY = SetFreightTariff(rates=[FreightRate(rate_minor=0)])
"""Periods of claims without a tariff."""


async def file_claim(call: Call, request: FileFreightClaim) -> FreightClaimRow:
    """File a claim on a shipment.

    Raises `NOT_FOUND`, `FREIGHT_CLAIM_TOO_EARLY` before the delivery, or the pickup for a loss,
    `FREIGHT_CLAIM_TOO_LATE`, `FREIGHT_CLAIM_OPEN`.
    """
    shipment = await get_visible_shipment(call, request.freight_shipment_id, lock=True)
    needed = shipment.delivered_at if request.kind in NEEDS_DELIVERY else shipment.picked_up_at
    if needed is None:
        raise FREIGHT_CLAIM_TOO_EARLY(status=shipment.status)
    policy = await find_policy(call) or DEFAULT_POLICY
    concealed = is_concealed(request.kind, noted=_is_noted(shipment, request.kind))
    until = last_day(
        call.local_time(shipment.delivered_at or needed).date(),
        concealed=concealed,
        claim_days=policy.claim_days,
        concealed_days=policy.concealed_damage_days,
    )
    if call.today > until:
        raise FREIGHT_CLAIM_TOO_LATE(until=until.isoformat())
    values: dict[str, Any] = {
        **request.model_dump(mode="json", include={"freight_shipment_id", "kind", "claimed_minor", "note"}),
        "customer_id": shipment.customer_id,
        "state": FreightClaimState.OPEN.value,
        "concealed": concealed,
        "currency": call.business.currency,
        "file_until": until,
        "decide_until": call.today + timedelta(days=policy.decision_days),
        "created_by": call.actor,
        "created_at": call.now,
    }
    try:
        async with call.work.savepoint():
            id = await FreightClaimRow.insert(call.work, **values)
    except UniqueConflict:
        raise FREIGHT_CLAIM_OPEN(kind=request.kind.value) from None
    if request.document is not None:
        document_id = await save_upload(call, request.document, about=f"{CLAIM_SUBJECT}:{id}")
        await FreightClaimRow.update(call.work, id, {"document_id": document_id})
    return await _reload(call, id)


def _is_noted(shipment: FreightShipmentRow, kind: FreightClaimKind) -> bool:
    return shipment.receipt is not None and any(each["kind"] == kind for each in shipment.receipt["exceptions"])


async def decide_claim(call: Call, request: DecideFreightClaim) -> FreightClaimRow:
    """Approve or deny a claim once, and credit an approved amount.

    An overcharge is refunded from the charge of the shipment, with a credit note if it is invoiced. Other claims are
    credited besides the charge. A repeated decision changes nothing. Raises `NOT_FOUND`, `FREIGHT_CLAIM_DECIDED`,
    `INVALID_REQUEST` for more than the claimed amount, and the errors of a refund.
    """
    row = await FreightClaimRow.lock(call.work, request.freight_claim_id)
    if row is None:
        raise record_not_found(freight_claim_id=request.freight_claim_id)
    approved = request.decision == "approve"
    state = FreightClaimState.APPROVED if approved else FreightClaimState.DENIED
    if row.state != FreightClaimState.OPEN:
        if row.state == state and (not approved or request.amount_minor in (None, row.approved_minor)):
            return row
        raise FREIGHT_CLAIM_DECIDED(state=row.state)
    amount = request.amount_minor or row.claimed_minor
    if approved and amount > row.claimed_minor:
        fault = FieldError("amount_minor", "field.more_than_claimed")
        raise INVALID_REQUEST.for_fields(fault)
    values = {
        "state": state.value,
        "reason": request.reason,
        "approved_minor": amount if approved else None,
        "transfer_id": await _credit(call, row, amount, request.reason) if approved else None,
        "decided_by": call.actor,
        "decided_at": call.now,
    }
    await FreightClaimRow.update(call.work, row.id, values)
    return await _reload(call, row.id)


async def _credit(call: Call, row: FreightClaimRow, amount_minor: int, reason: str) -> int | None:
    """Credit an approved amount once and return the transfer; None for own freight."""
    if row.customer_id is None:
        return None
    money, key = Money(amount_minor, row.currency), f"{CLAIM_SUBJECT}:{row.id}"
    if row.kind != FreightClaimKind.OVERCHARGE:
        return (await adjust(call, row.customer_id, money, key=key, reason=reason)).transfer_id
    shipment = await get_visible_shipment(call, row.freight_shipment_id)
    if shipment.transfer_id is None:
        raise REFUND_TOO_MUCH(transfer_id=0, left=str(Money(0, row.currency)))
    return (await refund(call, shipment.transfer_id, money, key=key, reason=reason)).transfer_id


async def _reload(call: Call, id: int) -> FreightClaimRow:
    call.add_audit_subjects(CLAIM_SUBJECT, id)
    found = await FreightClaimRow.get(call.work, id)
    assert found is not None  # it is locked or new
    return found
