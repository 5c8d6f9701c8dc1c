"""Recipients' choices: an instruction, a neighbour or another window."""

from haulier.contexts.booking.public import (
    ORDER_NOT_BOOKABLE,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
    book_order_window,
)
from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.orders.public import ORDER_IS_OVER, RecipientFacts, change_delivery_instruction
from haulier.contexts.recipients.deliveries.contract import (
    ChooseDeliveryWindow,
    DeliveryAccess,
    DeliveryAnswer,
    DeliveryWindow,
    DeliveryWindows,
    InstructDelivery,
)
from haulier.contexts.recipients.deliveries.operations.access import ACCESS_LIMITS, PATH, PUBLIC
from haulier.contexts.recipients.deliveries.queries.choices import list_choosable_windows
from haulier.contexts.recipients.deliveries.queries.deliveries import load_delivery, load_order, open_access
from haulier.contexts.recipients.deliveries.rules import DELIVERY_ACCESS_INVALID
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

CHOICE_LIMITS = (RateLimit(20, 60, ("address",)),)


@reads(
    "find_delivery_windows",
    audience=PUBLIC,
    doors=(Rest("POST", f"{PATH}/windows"), GraphQL("deliveryWindows")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
)
async def find_delivery_windows(call: Call, request: DeliveryAccess) -> DeliveryWindows:
    """List windows to reschedule your own delivery.

    Returns windows of the next two weeks that have free capacity and no price.
    """
    own, order = await open_access(call, request)
    windows = await list_choosable_windows(own, order)
    return DeliveryWindows(windows=[record(DeliveryWindow, window) for window in windows])


@writes(
    "choose_delivery_window",
    audience=PUBLIC,
    doors=(Rest("POST", f"{PATH}/window"), GraphQL("chooseDeliveryWindow")),
    limits=CHOICE_LIMITS,
    errors=(
        DELIVERY_ACCESS_INVALID,
        NOT_FOUND,
        ORDER_NOT_BOOKABLE,
        WINDOW_CLOSED,
        WINDOW_CUT_OFF,
        WINDOW_FULL,
        WINDOW_ELSEWHERE,
    ),
)
async def choose_delivery_window(call: Call, request: ChooseDeliveryWindow) -> DeliveryAnswer:
    """Move your own delivery to another window.

    The previous window becomes available to others immediately.
    """
    own, order = await open_access(call, request)
    await book_order_window(own, order.id, request.window_id)
    return await _changed_delivery(call, own, order)


@writes(
    "instruct_delivery",
    audience=PUBLIC,
    doors=(Rest("POST", f"{PATH}/instruction"), GraphQL("instructDelivery")),
    limits=CHOICE_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, ORDER_IS_OVER),
)
async def instruct_delivery(call: Call, request: InstructDelivery) -> DeliveryAnswer:
    """Set the driver instruction for your delivery.

    It can name a place to leave the parcel, directions, or a neighbour who may accept it.
    """
    own, order = await open_access(call, request)
    lines = [request.instruction.strip()]
    if neighbour := request.neighbour.strip():
        language = get_client_language(await require_client(own.work, own.client_id))
        lines.append(call.app.catalogues.translate(language, "recipient.neighbour", neighbour=neighbour))
    await change_delivery_instruction(own, order.id, "\n".join(filter(None, lines)) or None)
    return await _changed_delivery(call, own, order)


async def _changed_delivery(call: Call, own: Call, order: RecipientFacts) -> DeliveryAnswer:
    """Return the current delivery. The audit trail names the recipient as the author."""
    call.signed_in_as = SignedInActor(own.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", order.id)
    own, order = await load_order(call, own.client_id, order.id)
    return DeliveryAnswer(delivery=await load_delivery(own, order))
