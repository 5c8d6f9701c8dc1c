"""Pre-alerts: parcels are announced, changed, and called off."""

from typing import Any

from haulier.contexts.consolidation.claims.serializers import inbound_claim
from haulier.contexts.consolidation.inbound_parcels.actions.announce import announce_parcel, poll_from_now_on
from haulier.contexts.consolidation.inbound_parcels.actions.matches import reload_parcel
from haulier.contexts.consolidation.inbound_parcels.contract import (
    CreatePreAlert,
    InboundParcelAnswer,
    InboundParcelRef,
    InboundParcelWritten,
    UpdatePreAlert,
)
from haulier.contexts.consolidation.inbound_parcels.queries import get_visible_parcel
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import (
    INBOUND_LIFE,
    INBOUND_STEP_REFUSED,
    PRE_ALERT_NUMBER_TAKEN,
    InboundState,
    InboundStep,
)
from haulier.contexts.consolidation.inbound_parcels.serializers import claimed_parcel, inbound_parcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.tracking.public import release_number
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found

PATH = "/v1/consolidation/pre-alerts"
RECEIVERS = OFFICE | {Account.CUSTOMER}


@writes(
    "create_pre_alert",
    audience=RECEIVERS,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", PATH),
        GraphQL("createPreAlert"),
        Mcp("create_pre_alert", title="Announce an inbound parcel"),
    ),
    errors=(NOT_FOUND, PRE_ALERT_NUMBER_TAKEN),
)
async def create_pre_alert(call: Call, request: CreatePreAlert) -> InboundParcelWritten:
    """Announce an inbound parcel for a customer.

    If the parcel has already arrived and has no owner, a customer's announcement becomes a `claim` that staff must
    confirm. The same number again for the same customer returns the same parcel or claim and changes nothing.
    """
    announced = await announce_parcel(call, await _customer_of(call, request), request)
    call.add_audit_subjects("inbound_parcel", announced.row.id)
    if announced.claim is not None:
        return InboundParcelWritten(
            parcel=claimed_parcel(announced.claim),
            existing=announced.existing,
            claim=inbound_claim(announced.claim),
            message=call.translate("inbound_claim_waits"),
        )
    return InboundParcelWritten(parcel=inbound_parcel(announced.row), existing=announced.existing)


async def _customer_of(call: Call, request: CreatePreAlert) -> int:
    """Whose parcel is announced. Raises `INVALID_REQUEST`, or `NOT_FOUND`."""
    if call.principal.account is Account.CUSTOMER:
        if request.customer_id not in (None, call.actor):
            raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_not_yours"))
        return call.actor or 0
    if request.customer_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.missing"))
    if await get_user_of_account(call, request.customer_id, Account.CUSTOMER) is None:
        raise record_not_found(customer_id=request.customer_id)
    return request.customer_id


@writes(
    "update_pre_alert",
    allowed_where={"state": INBOUND_LIFE.allowing(InboundStep.CHANGE)},
    audience=RECEIVERS,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", f"{PATH}/{{parcel_id}}"), GraphQL("updatePreAlert")),
    errors=(NOT_FOUND, INBOUND_STEP_REFUSED),
)
async def update_pre_alert(call: Call, request: UpdatePreAlert) -> InboundParcelAnswer:
    """Update the announcement of an inbound parcel.

    Possible until the parcel arrives.
    """
    row = await get_visible_parcel(call, request.parcel_id, lock=True)
    INBOUND_LIFE.next_status_or_raise(InboundStep.CHANGE, InboundState(row.state))
    changes: dict[str, Any] = request.model_dump(exclude={"parcel_id"}, exclude_none=True)
    value, currency = (changes.get(name, getattr(row, name)) for name in ("declared_value", "declared_currency"))
    if (value is None) != (currency is None):
        missing = "declared_value" if value is None else "declared_currency"
        raise INVALID_REQUEST.for_fields(FieldError(missing, "field.value_and_currency"))
    call.add_audit_subjects("inbound_parcel", row.id)
    if changes:
        await InboundParcelRow.update(call.work, row.id, {**changes, "updated_at": call.now})
    changed = await reload_parcel(call, row.id)
    if changed.carrier != row.carrier:
        await poll_from_now_on(call, changed)
    return InboundParcelAnswer(parcel=inbound_parcel(changed))


@writes(
    "cancel_pre_alert",
    allowed_where={"state": INBOUND_LIFE.allowing(InboundStep.CANCEL)},
    audience=RECEIVERS,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", f"{PATH}/{{parcel_id}}"), GraphQL("cancelPreAlert")),
    errors=(NOT_FOUND, INBOUND_STEP_REFUSED),
)
async def cancel_pre_alert(call: Call, request: InboundParcelRef) -> Done:
    """Cancel the announcement of an inbound parcel.

    Possible while there is no event for the parcel. The announcement is deleted.
    """
    row = await get_visible_parcel(call, request.parcel_id, lock=True)
    INBOUND_LIFE.next_status_or_raise(InboundStep.CANCEL, InboundState(row.state))
    call.add_audit_subjects("inbound_parcel", row.id)
    await InboundParcelRow.delete(call.work, row.id)
    if row.customer_id is not None:
        await release_number(call, row.tracking_number, row.customer_id)
    return Done(message=call.translate("pre_alert_cancelled"))
