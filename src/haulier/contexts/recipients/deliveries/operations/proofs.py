"""Proofs of delivery for senders and the delivery company."""

from haulier.contexts.orders.public import RecipientFacts, get_recipient_facts, get_visible_order
from haulier.contexts.recipients.deliveries.contract import OrderProof, OrderProofFileRef, OrderProofRef, ProofFile
from haulier.contexts.recipients.deliveries.queries.deliveries import load_proof, load_proof_file
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Area, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/orders/{order_id}/proof"
AUDIENCE = OFFICE | {Account.CUSTOMER, Account.CONTRACTOR}


@reads(
    "get_order_proof",
    audience=AUDIENCE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, area=Area.ORDERS), GraphQL("orderProof")),
    errors=(NOT_FOUND,),
)
async def get_order_proof(call: Call, request: OrderProofRef) -> OrderProof:
    """Get the proof of delivery of an order.

    Includes time, receiver, photos and signature. Customers see proofs of their own orders. An undelivered order has
    no proof, nor does an order that another business delivered, which stores its own files.
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
    doors=(Rest("GET", f"{PATH}/{{file_id}}", area=Area.ORDERS), GraphQL("orderProofFile")),
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
