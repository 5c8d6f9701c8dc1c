"""Operations on deliveries."""

from haulier.contexts.booking.public import (
    ORDER_NOT_BOOKABLE,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
    book_order_window,
)
from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.orders.delivery_orders.rules.ratings import RATING_CLOSED, RATING_NOT_OPEN
from haulier.contexts.orders.public import (
    ORDER_IS_OVER,
    RecipientFacts,
    change_delivery_instruction,
    find_order_of_any_client,
    get_recipient_facts,
    get_visible_order,
    rate_order,
)
from haulier.contexts.recipients.deliveries import store
from haulier.contexts.recipients.deliveries.actions import ProvenDelivery, delete_wrong_proofs, prove_recipient
from haulier.contexts.recipients.deliveries.contract import (
    ChooseDeliveryWindow,
    DeliveryAccess,
    DeliveryAnswer,
    DeliveryNotice,
    DeliveryNumber,
    DeliveryOpened,
    DeliveryWindow,
    DeliveryWindows,
    OpenDelivery,
    OpenProofFile,
    OrderProof,
    OrderProofFileRef,
    OrderProofRef,
    ProofFile,
    RateDelivery,
    SetDeliveryInstruction,
)
from haulier.contexts.recipients.deliveries.queries import (
    list_choosable_windows,
    load_delivery,
    load_delivery_notice,
    load_order,
    load_proof,
    load_proof_file,
    open_access,
)
from haulier.contexts.recipients.deliveries.rules import (
    ACCESS_LIFETIME,
    DELIVERY_ACCESS_INVALID,
    RECIPIENT_UNPROVEN,
    RecipientInstruction,
)
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.ids import hash_token, make_opaque_token

ACCESS_PATH = "/v1/tracking/deliveries"
PUBLIC = frozenset({Account.PUBLIC})
NOTICE_LIMITS = (RateLimit(600, 60, ("address",)),)
OPEN_LIMITS = (RateLimit(30, 60, ("address",)),)
ACCESS_LIMITS = (RateLimit(120, 60, ("address",)),)


@reads(
    "get_delivery_notice",
    audience=PUBLIC,
    interfaces=(Rest("GET", "/v1/tracking/{number}/delivery"), GraphQL("deliveryNotice")),
    limits=NOTICE_LIMITS,
    errors=(NOT_FOUND,),
)
async def get_delivery_notice(call: Call, request: DeliveryNumber) -> DeliveryNotice:
    """Get public information about a delivery.

    Shows the promised window, the delivery company, its contact details and the recipient's choices. Anyone with the
    tracking number may ask. The answer contains no personal data, and is empty for a parcel without an order of the
    business.
    """
    order = await find_order_of_any_client(call, request.number)
    if order is None:
        raise record_not_found(number=request.number)
    return await load_delivery_notice(*await load_order(call, order.client_id, order.id))


@writes(
    "open_delivery",
    audience=PUBLIC,
    replayable=False,
    interfaces=(Rest("POST", f"{ACCESS_PATH}/open"), GraphQL("openDelivery")),
    limits=OPEN_LIMITS,
    errors=(RECIPIENT_UNPROVEN,),
    prepare=prove_recipient,
)
async def open_delivery(call: Call, request: OpenDelivery) -> DeliveryOpened:
    """Verify a recipient and open their delivery.

    The proof is the postal code or the last digits of the phone number. Access lasts 30 minutes. A wrong proof and
    an unknown number get the same answer. After several wrong proofs, further attempts are delayed.
    """
    proven: ProvenDelivery = call.prepared
    token, expires_at = make_opaque_token("hldelivery"), call.now + ACCESS_LIFETIME
    await delete_wrong_proofs(call.work, proven)
    await store.insert_delivery_access(
        call.work,
        proven.order.client_id,
        order_id=proven.order.id,
        token_sha256=hash_token(token),
        created_at=call.now,
        expires_at=expires_at,
    )
    call.signed_in_as = SignedInActor(proven.order.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", proven.order.id)
    own, order = await load_order(call, proven.order.client_id, proven.order.id)
    return DeliveryOpened(access=token, expires_at=expires_at, delivery=await load_delivery(own, order))


@reads(
    "get_delivery",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{ACCESS_PATH}/read"), GraphQL("delivery")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
)
async def get_delivery(call: Call, request: DeliveryAccess) -> DeliveryAnswer:
    """Get your own delivery as its recipient.

    Shows the time, sender, address, driver instruction and, after delivery, the proof.
    """
    return DeliveryAnswer(delivery=await load_delivery(*await open_access(call, request)))


@reads(
    "get_delivery_proof_file",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{ACCESS_PATH}/proof"), GraphQL("deliveryProofFile")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
)
async def get_delivery_proof_file(call: Call, request: OpenProofFile) -> ProofFile:
    """Get an image of your delivery's proof.

    Returns a photo or the signature.
    """
    own, order = await open_access(call, request)
    return await load_proof_file(own, order, request.file_id)


CHOICE_LIMITS = (RateLimit(20, 60, ("address",)),)


@reads(
    "find_delivery_windows",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{ACCESS_PATH}/windows"), GraphQL("deliveryWindows")),
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
    interfaces=(Rest("POST", f"{ACCESS_PATH}/window"), GraphQL("chooseDeliveryWindow")),
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
    "set_delivery_instruction",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{ACCESS_PATH}/instruction"), GraphQL("setDeliveryInstruction")),
    limits=CHOICE_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, ORDER_IS_OVER),
)
async def set_delivery_instruction(call: Call, request: SetDeliveryInstruction) -> DeliveryAnswer:
    """Set the driver instruction for your delivery.

    It can name a place to leave the parcel, directions, or a neighbour who may accept it.
    """
    own, order = await open_access(call, request)
    language = get_client_language(await require_client(own.work, own.client_id))
    instruction = RecipientInstruction(request.instruction.strip(), request.neighbour.strip())
    await change_delivery_instruction(own, order.id, instruction.render(call.app.catalogues, language) or None)
    return await _changed_delivery(call, own, order)


@writes(
    "rate_delivery",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{ACCESS_PATH}/rating"), GraphQL("rateDelivery")),
    limits=CHOICE_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, RATING_NOT_OPEN, RATING_CLOSED),
)
async def rate_delivery(call: Call, request: RateDelivery) -> DeliveryAnswer:
    """Rate your delivery.

    The business reads stars and comment. A rating can be changed for 14 days.
    """
    own, order = await open_access(call, request)
    await rate_order(own, order.id, request.rating, request.comment.strip() or None)
    return await _changed_delivery(call, own, order)


async def _changed_delivery(call: Call, own: Call, order: RecipientFacts) -> DeliveryAnswer:
    """Return the current delivery. The audit trail names the recipient as the author."""
    call.signed_in_as = SignedInActor(own.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", order.id)
    own, order = await load_order(call, own.client_id, order.id)
    return DeliveryAnswer(delivery=await load_delivery(own, order))


PROOFS_PATH = "/v1/orders/{order_id}/proof"
AUDIENCE = OFFICE | {Account.CUSTOMER, Account.CONTRACTOR}


@reads(
    "get_order_proof",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PROOFS_PATH, area=Area.ORDERS), GraphQL("orderProof")),
    errors=(NOT_FOUND,),
)
async def get_order_proof(call: Call, request: OrderProofRef) -> OrderProof:
    """Get the proof of delivery of an order.

    Includes time, receiver, photos and signature. Customers see proofs of their own orders, without the name and place
    of another receiver. An undelivered order has no proof, nor does an order that another business delivered, which
    stores its own files.
    """
    order = await _load_order(call, request.order_id)
    return OrderProof(
        order_id=order.id,
        tracking_number=order.tracking_number,
        status=order.status.name,
        proof=await load_proof(call, order),
        page=f"{call.app.base_url}/orders/{order.id}/proof",
    )


@reads(
    "get_order_proof_file",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", f"{PROOFS_PATH}/{{file_id}}", area=Area.ORDERS), GraphQL("orderProofFile")),
    errors=(NOT_FOUND,),
)
async def get_order_proof_file(call: Call, request: OrderProofFileRef) -> ProofFile:
    """Get an image of an order's proof.

    Returns a photo or the signature.
    """
    return await load_proof_file(call, await _load_order(call, request.order_id), request.file_id)


async def _load_order(call: Call, order_id: int) -> RecipientFacts:
    row = await get_visible_order(call, order_id)
    facts = (await get_recipient_facts(call, [row.id])).get(row.id)
    if facts is None:
        raise record_not_found(order_id=order_id)
    return facts
