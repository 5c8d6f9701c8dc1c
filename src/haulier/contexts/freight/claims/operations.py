"""Operations on freight claims."""

from typing import Any

from haulier.contexts.billing.ledger.rules import BALANCE_OUT_OF_RANGE, REFUND_TOO_MUCH
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES
from haulier.contexts.freight.claims import actions, store
from haulier.contexts.freight.claims.contract import (
    DecideFreightClaim,
    FileFreightClaim,
    FreightClaim,
    FreightClaimAnswer,
    FreightClaimList,
    ListFreightClaims,
)
from haulier.contexts.freight.claims.rules import (
    FREIGHT_CLAIM_DECIDED,
    FREIGHT_CLAIM_OPEN,
    FREIGHT_CLAIM_TOO_EARLY,
    FREIGHT_CLAIM_TOO_LATE,
    FreightClaimKind,
    FreightClaimState,
)
from haulier.contexts.freight.claims.store import FreightClaimRow
from haulier.contexts.freight.shipments.rules import OPEN_FOR_CLAIMS
from haulier.contexts.identity.public import is_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

CLAIMS = "/v1/freight/claims"


@writes(
    "file_freight_claim",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    interfaces=(
        Rest("POST", "/v1/freight/shipments/{freight_shipment_id}/claims"),
        GraphQL("fileFreightClaim"),
        Mcp("file_freight_claim", title="File a freight claim"),
    ),
    errors=(NOT_FOUND, FREIGHT_CLAIM_TOO_EARLY, FREIGHT_CLAIM_TOO_LATE, FREIGHT_CLAIM_OPEN),
    available_when={"status": OPEN_FOR_CLAIMS},
)
async def file_freight_claim(call: Call, request: FileFreightClaim) -> FreightClaimAnswer:
    """File a claim on a freight shipment.

    Shortage and damage that the delivery receipt does not note are concealed and have a shorter deadline. The tariff
    sets the deadlines.
    """
    return _answer(call, await actions.file_claim(call, request))


@reads(
    "list_freight_claims",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", CLAIMS), GraphQL("freightClaims"), Mcp("list_freight_claims", title="List freight claims")),
)
async def list_freight_claims(call: Call, request: ListFreightClaims) -> FreightClaimList:
    """List freight claims, newest first.

    Customers see their own.
    """
    filters = {"state", "freight_shipment_id", "customer_id"}
    wanted: dict[str, Any] = request.model_dump(mode="json", include=filters, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_claim_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return FreightClaimList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        freight_claims=[_record(call, row) for row in rows],
    )


@writes(
    "decide_freight_claim",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(
        Rest("POST", f"{CLAIMS}/{{freight_claim_id}}/decision"),
        GraphQL("decideFreightClaim"),
        Mcp("decide_freight_claim", title="Decide a freight claim"),
    ),
    errors=(NOT_FOUND, FREIGHT_CLAIM_DECIDED, REFUND_TOO_MUCH, BALANCE_OUT_OF_RANGE),
    available_when={"state": FreightClaimState.OPEN.value},
)
async def decide_freight_claim(call: Call, request: DecideFreightClaim) -> FreightClaimAnswer:
    """Approve or reject a freight claim.

    An approved amount is credited to the customer at once. An overcharge is refunded from the charge, with a credit
    note if it is invoiced.
    """
    return _answer(call, await actions.decide_claim(call, request))


def _answer(call: Call, row: FreightClaimRow) -> FreightClaimAnswer:
    return FreightClaimAnswer(freight_claim=_record(call, row))


def _record(call: Call, row: FreightClaimRow) -> FreightClaim:
    return record(
        FreightClaim,
        row,
        kind=FreightClaimKind(row.kind),
        state=FreightClaimState(row.state),
        created_at=call.local_time(row.created_at),
        decided_at=call.local_time(row.decided_at),
    )
