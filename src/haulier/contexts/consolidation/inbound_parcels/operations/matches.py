"""The queue of unmatched parcels: somebody says whose one is, or takes it back."""

from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions.matches import (
    ANNOUNCED,
    MatchedBy,
    match_parcel,
    unmatch_parcel,
)
from haulier.contexts.consolidation.inbound_parcels.contract import (
    InboundParcelAnswer,
    InboundParcelRef,
    MatchInboundParcel,
)
from haulier.contexts.consolidation.inbound_parcels.queries import get_visible_parcel
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import (
    INBOUND_LIFE,
    INBOUND_PARCEL_MATCHED,
    INBOUND_STEP_REFUSED,
    UNDER_WAY_STATES,
    InboundStep,
)
from haulier.contexts.consolidation.inbound_parcels.serializers import inbound_parcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.consolidation.suites.queries import require_suite_customer
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.tracking.public import release_number
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/consolidation/parcels/{parcel_id}"


@writes(
    "match_inbound_parcel",
    allowed_where={"state": INBOUND_LIFE.allowing(InboundStep.MATCH)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", f"{PATH}/match"),
        GraphQL("matchInboundParcel"),
        Mcp("match_inbound_parcel", title="Say whose an inbound parcel is"),
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
        matched = await _take_over(call, row, pre_alert)
    else:
        matched = await match_parcel(call, row, await _customer_meant(call, request), MatchedBy.PERSON)
    return InboundParcelAnswer(parcel=inbound_parcel(matched))


async def _customer_meant(call: Call, request: MatchInboundParcel) -> int:
    """The customer that a request names. Raises `NOT_FOUND`."""
    if request.suite is not None:
        return await require_suite_customer(call.work, request.suite)
    customer = request.customer_id or 0
    if await get_user_of_account(call, customer, Account.CUSTOMER) is None:
        raise record_not_found(customer_id=customer)
    return customer


def _usable_pre_alert(found: InboundParcelRow | None, row: InboundParcelRow, pre_alert_id: int) -> InboundParcelRow:
    """A pre-alert that nobody has met yet. Raises `NOT_FOUND`."""
    if found is None or found.id == row.id or found.customer_id is None or found.state not in UNDER_WAY_STATES:
        raise record_not_found(pre_alert_id=pre_alert_id)
    return found


async def _take_over(call: Call, row: InboundParcelRow, pre_alert: InboundParcelRow) -> InboundParcelRow:
    """Let a parcel be what a pre-alert with another number meant. The pre-alert ends: its number was wrong."""
    told = {name: getattr(pre_alert, name) for name in ANNOUNCED}
    customer = pre_alert.customer_id or 0
    matched = await match_parcel(call, row, customer, MatchedBy.PERSON, **told)
    await InboundParcelRow.delete(call.work, pre_alert.id)
    await release_number(call, pre_alert.tracking_number, customer)
    call.add_audit_subjects("inbound_parcel", pre_alert.id)
    return matched


@writes(
    "unmatch_inbound_parcel",
    allowed_where={"state": INBOUND_LIFE.allowing(InboundStep.UNMATCH)},
    audience=OFFICE,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/unmatch"), GraphQL("unmatchInboundParcel")),
    errors=(NOT_FOUND, INBOUND_STEP_REFUSED),
)
async def unmatch_inbound_parcel(call: Call, request: InboundParcelRef) -> InboundParcelAnswer:
    """Undo the match of an inbound parcel.

    Removes the customer and their instructions. The parcel returns to the queue.
    """
    row = await get_visible_parcel(call, request.parcel_id, lock=True)
    call.add_audit_subjects("inbound_parcel", row.id)
    return InboundParcelAnswer(parcel=inbound_parcel(await unmatch_parcel(call, row)))
