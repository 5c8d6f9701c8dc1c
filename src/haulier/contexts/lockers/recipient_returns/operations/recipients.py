"""A recipient sends back what was delivered to them: begun, shown and given up with the access to their delivery."""

from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX
from haulier.contexts.lockers.recipient_returns import actions, store
from haulier.contexts.lockers.recipient_returns.contract.returns import (
    BeginReturn,
    BegunReturn,
    DeliveryReturn,
    DeliveryReturnAnswer,
    FindReturnOffer,
)
from haulier.contexts.lockers.recipient_returns.queries import find_newest_return, find_offer
from haulier.contexts.lockers.recipient_returns.rules import (
    RETURN_BEGUN,
    RETURN_NOT_OFFERED,
    RETURN_REFUSED,
    RETURN_UNDER_WAY,
)
from haulier.contexts.lockers.recipient_returns.serializers import delivery_return, offer_record
from haulier.contexts.lockers.recipient_returns.store import RecipientReturnRow
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.contexts.recipients.public import ACCESS_LIMITS, DELIVERY_ACCESS_INVALID, open_access
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/tracking/deliveries/return"
PUBLIC = frozenset({Account.PUBLIC})
RETURN_LIMITS = (RateLimit(20, 60, ("address",)),)


@reads(
    "get_delivery_return",
    audience=PUBLIC,
    doors=(Rest("POST", f"{PATH}/read"), GraphQL("deliveryReturn")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
)
async def get_delivery_return(call: Call, request: FindReturnOffer) -> DeliveryReturnAnswer:
    """The return of one's own delivery, and what may be sent back: until when, why, how, and at which lockers near by.

    Both are null where the business takes nothing back, or no more.
    """
    own, order = await open_access(call, request)
    row, offer = await find_newest_return(own, order.id), await find_offer(own, order, request.size)
    return DeliveryReturnAnswer(
        begun=await _shown(own, row) if row else None, offer=offer_record(own, offer) if offer else None
    )


@writes(
    "begin_return",
    audience=PUBLIC,
    replayable=False,
    doors=(Rest("POST", PATH), GraphQL("beginReturn")),
    limits=RETURN_LIMITS,
    errors=(
        DELIVERY_ACCESS_INVALID,
        NOT_FOUND,
        RETURN_NOT_OFFERED,
        RETURN_BEGUN,
        RETURN_REFUSED,
        NO_FREE_BOX,
    ),
)
async def begin_return(call: Call, request: BeginReturn) -> BegunReturn:
    """Send one's own delivery back: a box of a locker is kept for it, or a driver fetches it. A parcel goes back once.

    The code opens the box, once. What is not handed in in time can be begun anew.
    """
    own, order = await open_access(call, request)
    row, code = await actions.begin(own, order, request)
    _note_actor(call, own, row)
    return BegunReturn(begun=await _shown(own, row), code=code)


@writes(
    "renew_return_code",
    audience=PUBLIC,
    replayable=False,
    doors=(Rest("POST", f"{PATH}/code"), GraphQL("renewReturnCode")),
    limits=RETURN_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND, RETURN_UNDER_WAY),
)
async def renew_return_code(call: Call, request: DeliveryAccess) -> BegunReturn:
    """Get another code for the box that is kept for one's own return; the one before works no more."""
    own, row = await _own_return(call, request)
    code = await actions.renew_code(own, row)
    return BegunReturn(begun=await _shown(own, row), code=code)


@writes(
    "cancel_return",
    audience=PUBLIC,
    doors=(Rest("POST", f"{PATH}/cancel"), GraphQL("cancelReturn")),
    limits=RETURN_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND, RETURN_UNDER_WAY),
)
async def cancel_return(call: Call, request: DeliveryAccess) -> DeliveryReturnAnswer:
    """Keep one's own delivery after all, as long as nobody has it again. Its box is free for others."""
    own, row = await _own_return(call, request)
    cancelled = await actions.cancel(own, row)
    return DeliveryReturnAnswer(begun=await _shown(own, cancelled), offer=None)


async def _own_return(call: Call, request: DeliveryAccess) -> tuple[Call, RecipientReturnRow]:
    own, order = await open_access(call, request)
    row = await find_newest_return(own, order.id)
    if row is None:
        raise NOT_FOUND()
    _note_actor(call, own, row)
    return own, row


def _note_actor(call: Call, own: Call, row: RecipientReturnRow) -> None:
    """The audit trail of the business says that its recipient did this."""
    call.signed_in_as = SignedInActor(own.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", row.order_id, row.return_order_id)


async def _shown(own: Call, row: RecipientReturnRow) -> DeliveryReturn:
    return await delivery_return(own, row, await store.get_settings_row(own.work))
