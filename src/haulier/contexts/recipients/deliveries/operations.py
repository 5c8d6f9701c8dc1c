"""Access to a delivery, publicly by number or as its verified recipient."""

from haulier.contexts.orders.public import find_order_of_any_client
from haulier.contexts.recipients.deliveries import store
from haulier.contexts.recipients.deliveries.actions.recipient_proofs import (
    ProvenDelivery,
    forget_wrong_proofs,
    prove_recipient,
)
from haulier.contexts.recipients.deliveries.contract import (
    DeliveryAccess,
    DeliveryAnswer,
    DeliveryNotice,
    DeliveryNumber,
    DeliveryOpened,
    OpenDelivery,
    OpenProofFile,
    ProofFile,
)
from haulier.contexts.recipients.deliveries.queries.deliveries import (
    load_delivery,
    load_delivery_notice,
    load_order,
    load_proof_file,
    open_access,
)
from haulier.contexts.recipients.deliveries.rules import (
    ACCESS_LIFETIME,
    DELIVERY_ACCESS_INVALID,
    RECIPIENT_UNPROVEN,
)
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.ids import hash_token, make_opaque_token

PATH = "/v1/tracking/deliveries"
PUBLIC = frozenset({Account.PUBLIC})
NOTICE_LIMITS = (RateLimit(600, 60, ("address",)),)
OPEN_LIMITS = (RateLimit(30, 60, ("address",)),)
ACCESS_LIMITS = (RateLimit(120, 60, ("address",)),)


@reads(
    "get_delivery_notice",
    audience=PUBLIC,
    doors=(Rest("GET", "/v1/tracking/{number}/delivery"), GraphQL("deliveryNotice")),
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
    doors=(Rest("POST", f"{PATH}/open"), GraphQL("openDelivery")),
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
    await forget_wrong_proofs(call.work, proven)
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
    doors=(Rest("POST", f"{PATH}/read"), GraphQL("delivery")),
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
    doors=(Rest("POST", f"{PATH}/proof"), GraphQL("deliveryProofFile")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
)
async def get_delivery_proof_file(call: Call, request: OpenProofFile) -> ProofFile:
    """Get an image of your delivery's proof.

    Returns a photo or the signature.
    """
    own, order = await open_access(call, request)
    return await load_proof_file(own, order, request.file_id)
