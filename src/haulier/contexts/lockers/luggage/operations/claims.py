"""Operations on luggage claims."""

from typing import Any

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.luggage.actions import claims as actions
from haulier.contexts.lockers.luggage.contract.claims import (
    FiledLuggageClaimAnswer,
    FileLuggageClaim,
    ListLuggageClaims,
    LuggageClaimAnswer,
    LuggageClaimList,
    LuggageClaimRef,
    SettleLuggageClaim,
)
from haulier.contexts.lockers.luggage.operations.bookings import BOOKING_PATH, EITHER
from haulier.contexts.lockers.luggage.queries import get_claim, lock_luggage
from haulier.contexts.lockers.luggage.rules import (
    CLAIM_LIFE,
    LUGGAGE_AMOUNT_TOO_HIGH,
    LUGGAGE_CLAIM_REFUSED,
    LUGGAGE_STEP_REFUSED,
    ClaimStep,
)
from haulier.contexts.lockers.luggage.serializers import claim_record, filed_record
from haulier.contexts.lockers.luggage.store import claims as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/luggage-claims"
CLAIM_PATH = f"{PATH}/{{luggage_claim_id}}"


@writes(
    "file_luggage_claim",
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{BOOKING_PATH}/claims"), GraphQL("fileLuggageClaim")),
    errors=(NOT_FOUND, LUGGAGE_CLAIM_REFUSED),
)
async def file_luggage_claim(call: Call, request: FileLuggageClaim) -> FiledLuggageClaimAnswer:
    """File a luggage claim.

    Claim compensation for late bags, or for a bag that is lost or damaged. Only one claim about the same bag can be
    open at a time.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    return FiledLuggageClaimAnswer(claim=filed_record(call, await actions.file_claim(call, row, bags, request)))


@reads(
    "list_luggage_claims",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("luggageClaims")),
)
async def list_luggage_claims(call: Call, request: ListLuggageClaims) -> LuggageClaimList:
    """List luggage claims, newest first.

    Customers see only their own claims.
    """
    wanted: dict[str, Any] = request.model_dump(include={"status", "kind", "customer_id"}, exclude_none=True)
    if request.luggage_id is not None:
        wanted["booking_id"] = request.luggage_id
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_claim_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = [claim_record(call, row) for row in rows]
    return LuggageClaimList(**total_fields(counted), page=request.page, per_page=request.per_page, claims=shown)


@reads(
    "get_luggage_claim",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", CLAIM_PATH), GraphQL("luggageClaim")),
    errors=(NOT_FOUND,),
)
async def get_luggage_claim(call: Call, request: LuggageClaimRef) -> LuggageClaimAnswer:
    """Retrieve a luggage claim."""
    return LuggageClaimAnswer(claim=claim_record(call, await get_claim(call, request.luggage_claim_id)))


@writes(
    "withdraw_luggage_claim",
    allowed_where={"status": CLAIM_LIFE.allowing(ClaimStep.WITHDRAW)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", f"{CLAIM_PATH}/withdraw"), GraphQL("withdrawLuggageClaim")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def withdraw_luggage_claim(call: Call, request: LuggageClaimRef) -> LuggageClaimAnswer:
    """Withdraw an open luggage claim."""
    claim = await get_claim(call, request.luggage_claim_id, lock=True)
    return LuggageClaimAnswer(claim=claim_record(call, await actions.withdraw_claim(call, claim)))


@writes(
    "settle_luggage_claim",
    allowed_where={"status": CLAIM_LIFE.allowing(ClaimStep.ACCEPT, ClaimStep.REFUSE)},
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{CLAIM_PATH}/settle"), GraphQL("settleLuggageClaim")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED, LUGGAGE_AMOUNT_TOO_HIGH),
)
async def settle_luggage_claim(call: Call, request: SettleLuggageClaim) -> LuggageClaimAnswer:
    """Accept or refuse a luggage claim.

    The amount goes to the customer's credit. It is refunded from the price first, then paid as compensation up to the
    liability limit.
    """
    seen = await get_claim(call, request.luggage_claim_id)
    row, _ = await lock_luggage(call, seen.booking_id)
    claim = await get_claim(call, seen.id, lock=True)
    return LuggageClaimAnswer(claim=claim_record(call, await actions.settle_claim(call, row, claim, request)))
