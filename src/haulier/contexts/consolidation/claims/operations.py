"""List claims on inbound parcels."""

from haulier.contexts.consolidation.claims import store
from haulier.contexts.consolidation.claims.contract import InboundClaimList, ListInboundClaims
from haulier.contexts.consolidation.claims.serializers import inbound_claim
from haulier.contexts.consolidation.claims.store import claims
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

PATH = "/v1/consolidation/claims"


@reads(
    "list_inbound_claims",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", PATH),
        GraphQL("inboundClaims"),
        Mcp("list_inbound_claims", title="List claims on inbound parcels"),
    ),
)
async def list_inbound_claims(call: Call, request: ListInboundClaims) -> InboundClaimList:
    """List claims on inbound parcels, newest first.

    A claim is an announcement made after the parcel arrived. Customers see only their own.
    """
    equal = {"state": request.state, "parcel_id": request.parcel_id}
    found = [claims.c[name] == value for name, value in equal.items() if value is not None]
    if call.principal.account is Account.CUSTOMER:
        found.append(claims.c.customer_id == call.actor)
    rows, counted = await store.list_claim_rows(
        call.work, found, limit=request.per_page, offset=request.offset, most=MAX_COUNT + 1
    )
    return InboundClaimList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        claims=[inbound_claim(row) for row in rows],
    )
