"""Proof of delivery as a document with time, receiver and original images."""

from collections.abc import Sequence

from babel.dates import format_datetime

from haulier.contexts.documents.public import (
    DOCUMENT_NOT_YET,
    DocumentDraft,
    DocumentKind,
    DocumentPlan,
    DocumentSubject,
    get_file_content,
    get_file_facts,
    paper_head,
    register_document_maker,
)
from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.public import (
    OrderStatus,
    PaperOrder,
    get_recipient_facts,
    load_paper_orders,
    require_visible_orders,
)
from haulier.contexts.recipients.deliveries.contract import DeliveryProof
from haulier.contexts.recipients.deliveries.queries.deliveries import load_proof
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.rendering.page import Page
from haulier.rendering.papers import DeliveryProofPaper, ProofPicture, lay_out_proof_of_delivery


async def plan_proofs(call: Call, order_ids: Sequence[int]) -> DocumentPlan:
    """Return the plan for proofs of orders visible to the caller.

    Raises `NOT_FOUND`, or `DOCUMENT_NOT_YET` for an order in transit.
    """
    await require_visible_orders(call, order_ids)
    facts = await get_recipient_facts(call, order_ids)
    for order_id in order_ids:
        if order_id not in facts or facts[order_id].status is not OrderStatus.DELIVERED:
            raise DOCUMENT_NOT_YET(order_id=order_id)
    return DocumentPlan(record_ids=order_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_proofs(call: Call, draft: DocumentDraft) -> list[Page]:
    """Return the pages of the proofs, one proof per order."""
    facts = await get_recipient_facts(call, draft.record_ids)
    orders, pieces = await load_paper_orders(call, draft.record_ids)
    pages: list[Page] = []
    for order in orders:
        proof = await load_proof(call, facts[order.id])
        if proof is None:
            raise DOCUMENT_NOT_YET(order_id=order.id)
        count = sum(piece.order_id == order.id for piece in pieces)
        pages += lay_out_proof_of_delivery(await _paper(call, draft, order, proof, count))
    return pages


async def _paper(
    call: Call, draft: DocumentDraft, order: PaperOrder, proof: DeliveryProof, pieces: int
) -> DeliveryProofPaper:
    locale = call.language.replace("-", "_")
    return DeliveryProofPaper(
        head=paper_head(call, draft),
        tracking_number=order.tracking_number,
        reference=order.order_ref,
        recipient=order.sender if order.type == "P" else order.recipient,
        delivered_at=format_datetime(proof.at, "medium", locale=locale) if proof.at else "",
        taken_by=proof.recipient,
        pieces=pieces,
        signature=await _picture(call, proof.signature) if proof.signature else None,
        photos=[await _picture(call, file_id) for file_id in proof.photos],
    )


async def _picture(call: Call, file_id: int) -> ProofPicture:
    facts = (await get_file_facts(call, [file_id])).get(file_id)
    content = await get_file_content(call, file_id)
    return ProofPicture(content=content, media_type=facts.media_type if facts else "")


register_document_maker(
    DocumentKind.PROOF_OF_DELIVERY,
    DocumentSubject.ORDERS,
    plan=plan_proofs,
    draw=draw_proofs,
    each=True,
    audience=OFFICE | {Account.CONTRACTOR, Account.CUSTOMER},
)
