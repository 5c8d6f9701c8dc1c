"""Operations on inbound parcels."""

from typing import Any

from haulier.contexts.consolidation.claims.actions import reject_claim
from haulier.contexts.consolidation.claims.contract import InboundClaimAnswer, InboundClaimRef
from haulier.contexts.consolidation.claims.queries import InboundClaimRow, require_claim
from haulier.contexts.consolidation.claims.rules import (
    CLAIM_LIFE,
    INBOUND_CLAIM_DECIDED,
    ClaimState,
    InboundClaimStep,
)
from haulier.contexts.consolidation.claims.serializers import inbound_claim
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions import (
    ANNOUNCED,
    PHOTOS,
    MatchedBy,
    match_parcel,
    poll_from_now_on,
    publish_parcel,
    receive_parcel,
    reload_parcel,
    unmatch_parcel,
)
from haulier.contexts.consolidation.inbound_parcels.contract import (
    CreatePreAlert,
    InboundParcelAnswer,
    InboundParcelList,
    InboundParcelRef,
    InboundParcelWritten,
    ListInboundParcels,
    MatchInboundParcel,
    ReceiveInboundParcel,
    UpdatePreAlert,
)
from haulier.contexts.consolidation.inbound_parcels.queries import (
    InboundParcelRow,
    can_see,
    get_visible_parcel,
    list_conditions,
)
from haulier.contexts.consolidation.inbound_parcels.rules import (
    INBOUND_LIFE,
    INBOUND_PARCEL_MATCHED,
    INBOUND_STEP_REFUSED,
    PRE_ALERT_NUMBER_TAKEN,
    UNDER_WAY_STATES,
    InboundState,
    InboundStep,
)
from haulier.contexts.consolidation.inbound_parcels.serializers import claimed_parcel, inbound_parcel
from haulier.contexts.consolidation.suites.queries import require_suite_customer
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, declare_personal_files, register_file_access
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.tracking.public import release_number
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

CLAIMS_PATH = "/v1/consolidation/claims"
TOLD = ("contents", "declared_value", "declared_currency", "note")


@writes(
    "approve_inbound_claim",
    available_when={"state": CLAIM_LIFE.allowing(InboundClaimStep.APPROVE)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{CLAIMS_PATH}/{{claim_id}}/approve"), GraphQL("approveInboundClaim")),
    errors=(NOT_FOUND, INBOUND_CLAIM_DECIDED),
)
async def approve_inbound_claim(call: Call, request: InboundClaimRef) -> InboundClaimAnswer:
    """Approve a claim on an inbound parcel.

    The parcel is assigned to the customer, and other claims on it are refused.
    """
    parcel, claim = await _lock_pending_claim(call, request.claim_id, InboundClaimStep.APPROVE)
    told = {name: getattr(claim, name) for name in TOLD}
    await match_parcel(call, parcel, claim.customer_id, MatchedBy.PERSON, announced_at=claim.created_at, **told)
    return await _answer(call, claim)


@writes(
    "refuse_inbound_claim",
    available_when={"state": CLAIM_LIFE.allowing(InboundClaimStep.REFUSE)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{CLAIMS_PATH}/{{claim_id}}/refuse"), GraphQL("refuseInboundClaim")),
    errors=(NOT_FOUND, INBOUND_CLAIM_DECIDED),
)
async def refuse_inbound_claim(call: Call, request: InboundClaimRef) -> InboundClaimAnswer:
    """Refuse a claim on an inbound parcel.

    The parcel stays in the queue of unmatched parcels.
    """
    _, claim = await _lock_pending_claim(call, request.claim_id, InboundClaimStep.REFUSE)
    await reject_claim(call, claim.id)
    return await _answer(call, claim)


async def _lock_pending_claim(
    call: Call, claim_id: int, step: InboundClaimStep
) -> tuple[InboundParcelRow, InboundClaimRow]:
    """Lock the parcel of a claim and return both. Raises `INBOUND_CLAIM_DECIDED`.

    Every decision takes this lock.
    """
    claim = await require_claim(call, claim_id)
    parcel = await get_visible_parcel(call, claim.parcel_id, lock=True)
    claim = await require_claim(call, claim_id)
    CLAIM_LIFE.next_status_or_raise(step, ClaimState(claim.state))
    return parcel, claim


async def _answer(call: Call, claim: InboundClaimRow) -> InboundClaimAnswer:
    call.add_audit_subjects("inbound_parcel", claim.parcel_id)
    return InboundClaimAnswer(claim=inbound_claim(await require_claim(call, claim.id)))


MATCHES_PATH = "/v1/consolidation/parcels/{parcel_id}"


@writes(
    "match_inbound_parcel",
    available_when={"state": INBOUND_LIFE.allowing(InboundStep.MATCH)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{MATCHES_PATH}/match"),
        GraphQL("matchInboundParcel"),
        Mcp("match_inbound_parcel", title="Match an inbound parcel to a customer"),
    ),
    errors=(NOT_FOUND, INBOUND_PARCEL_MATCHED),
)
async def match_inbound_parcel(call: Call, request: MatchInboundParcel) -> InboundParcelAnswer:
    """Match an inbound parcel to a customer.

    A parcel can be matched once. Repeating the same match changes nothing; a different customer is rejected.
    """
    wanted = {request.parcel_id, request.pre_alert_id or request.parcel_id}
    rows = await store.list_parcels_of_ids(call.work, wanted, lock=True)
    row = rows.get(request.parcel_id)
    if row is None:
        raise record_not_found(parcel_id=request.parcel_id)
    call.add_audit_subjects("inbound_parcel", row.id)
    if request.pre_alert_id is not None:
        pre_alert = _usable_pre_alert(rows.get(request.pre_alert_id), row, request.pre_alert_id)
        matched = await _apply_pre_alert(call, row, pre_alert)
    else:
        matched = await match_parcel(call, row, await _resolve_customer(call, request), MatchedBy.PERSON)
    return InboundParcelAnswer(parcel=inbound_parcel(matched))


async def _resolve_customer(call: Call, request: MatchInboundParcel) -> int:
    """Return the requested customer. Raises `NOT_FOUND`."""
    if request.suite is not None:
        return await require_suite_customer(call.work, request.suite)
    customer = request.customer_id or 0
    if await get_user_of_account(call, customer, Account.CUSTOMER) is None:
        raise record_not_found(customer_id=customer)
    return customer


def _usable_pre_alert(found: InboundParcelRow | None, row: InboundParcelRow, pre_alert_id: int) -> InboundParcelRow:
    """Return a pre-alert that is still unused. Raises `NOT_FOUND`."""
    if found is None or found.id == row.id or found.customer_id is None or found.state not in UNDER_WAY_STATES:
        raise record_not_found(pre_alert_id=pre_alert_id)
    return found


async def _apply_pre_alert(call: Call, row: InboundParcelRow, pre_alert: InboundParcelRow) -> InboundParcelRow:
    """Apply a pre-alert with a wrong number to a parcel, and end the pre-alert."""
    told = {name: getattr(pre_alert, name) for name in ANNOUNCED}
    customer = pre_alert.customer_id or 0
    matched = await match_parcel(call, row, customer, MatchedBy.PERSON, **told)
    await InboundParcelRow.delete(call.work, pre_alert.id)
    await release_number(call, pre_alert.tracking_number, customer)
    call.add_audit_subjects("inbound_parcel", pre_alert.id)
    return matched


@writes(
    "unmatch_inbound_parcel",
    available_when={"state": INBOUND_LIFE.allowing(InboundStep.UNMATCH)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{MATCHES_PATH}/unmatch"), GraphQL("unmatchInboundParcel")),
    errors=(NOT_FOUND, INBOUND_STEP_REFUSED),
)
async def unmatch_inbound_parcel(call: Call, request: InboundParcelRef) -> InboundParcelAnswer:
    """Undo the match of an inbound parcel.

    Removes the customer and their instructions. The parcel returns to the queue.
    """
    row = await get_visible_parcel(call, request.parcel_id, lock=True)
    call.add_audit_subjects("inbound_parcel", row.id)
    return InboundParcelAnswer(parcel=inbound_parcel(await unmatch_parcel(call, row)))


PRE_ALERTS_PATH = "/v1/consolidation/pre-alerts"
RECEIVERS = OFFICE | {Account.CUSTOMER}


@writes(
    "create_pre_alert",
    audience=RECEIVERS,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", PRE_ALERTS_PATH),
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
    announced = await publish_parcel(call, await _customer_of(call, request), request)
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
    """Return the owner of an announced parcel.

    Raises `INVALID_REQUEST`, or `NOT_FOUND`.
    """
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
    available_when={"state": INBOUND_LIFE.allowing(InboundStep.CHANGE)},
    audience=RECEIVERS,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", f"{PRE_ALERTS_PATH}/{{parcel_id}}"), GraphQL("updatePreAlert")),
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
    available_when={"state": INBOUND_LIFE.allowing(InboundStep.CANCEL)},
    audience=RECEIVERS,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", f"{PRE_ALERTS_PATH}/{{parcel_id}}"), GraphQL("cancelPreAlert")),
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


PARCELS_PATH = "/v1/consolidation/parcels"

declare_personal_files(PHOTOS, PersonKey.INBOUND_PARCEL, RecordKind.INBOUND_PARCELS)


@register_file_access(PHOTOS, Scope.STORAGE_READ)
async def may_see_inbound_photo(call: Call, parcel_id: int) -> bool:
    """Return True for the customer of a photographed parcel."""
    row = await InboundParcelRow.get(call.work, parcel_id)
    return call.principal.account is Account.CUSTOMER and row is not None and can_see(call, row)


@reads(
    "list_inbound_parcels",
    audience=RECEIVERS,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", PARCELS_PATH),
        GraphQL("inboundParcels"),
        Mcp("list_inbound_parcels", title="List inbound parcels"),
    ),
)
async def list_inbound_parcels(call: Call, request: ListInboundParcels) -> InboundParcelList:
    """List inbound parcels, newest first.

    `unmatched` selects parcels without an owner.
    """
    rows, counted = await store.list_parcel_rows(
        call.work,
        list_conditions(call, request),
        limit=request.per_page,
        offset=request.offset,
        most=MAX_COUNT + 1,
    )
    return InboundParcelList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        parcels=[inbound_parcel(row) for row in rows],
    )


@reads(
    "get_inbound_parcel",
    audience=RECEIVERS,
    scopes={Scope.STORAGE_READ},
    interfaces=(Rest("GET", f"{PARCELS_PATH}/{{parcel_id}}"), GraphQL("inboundParcel")),
    errors=(NOT_FOUND,),
)
async def get_inbound_parcel(call: Call, request: InboundParcelRef) -> InboundParcelAnswer:
    """Retrieve an inbound parcel.

    Its timeline is available by tracking number.
    """
    return InboundParcelAnswer(parcel=inbound_parcel(await get_visible_parcel(call, request.parcel_id)))


@writes(
    "receive_inbound_parcel",
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    interfaces=(Rest("POST", "/v1/consolidation/arrivals"), GraphQL("receiveInboundParcel")),
    errors=(NOT_FOUND,),
)
async def receive_inbound_parcel(call: Call, request: ReceiveInboundParcel) -> InboundParcelWritten:
    """Receive an inbound parcel.

    Records its weight, dimensions and a photo. The parcel is matched to the customer who announced it, else to the
    suite on its label, else it joins the queue of unmatched parcels. Repeating the call for the same number only adds
    missing data.
    """
    row, existing = await receive_parcel(call, request)
    call.add_audit_subjects("inbound_parcel", row.id)
    return InboundParcelWritten(parcel=inbound_parcel(row), existing=existing)
