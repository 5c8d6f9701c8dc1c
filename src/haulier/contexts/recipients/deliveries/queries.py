"""Reads of deliveries for other families."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from babel.dates import format_datetime
from msgspec import UNSET, Struct

from haulier.contexts.booking.public import BOOKABLE_ORDER_STATUSES, FreeWindow, list_free_windows
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
from haulier.contexts.identity.public import get_users_by_id, require_client
from haulier.contexts.orders.delivery_orders.contract.items import ContentsLine
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ON_THE_WAY_STATUSES
from haulier.contexts.orders.delivery_orders.rules.ratings import can_rate
from haulier.contexts.orders.public import (
    OrderStatus,
    OrderStep,
    PaperOrder,
    RecipientFacts,
    get_delivery_pin,
    get_pickup_depots,
    get_recipient_facts,
    list_order_parts,
    list_order_steps,
    load_paper_items,
    load_paper_orders,
    require_visible_orders,
)
from haulier.contexts.otep.public import DeliveryOutcome, HandedTo, names_third_person
from haulier.contexts.recipients.brand.queries import load_brand
from haulier.contexts.recipients.deliveries import store
from haulier.contexts.recipients.deliveries.actions import call_for_client
from haulier.contexts.recipients.deliveries.contract import (
    Delivery,
    DeliveryAccess,
    DeliveryNotice,
    DeliveryProof,
    ParcelOfOrder,
    ProofFile,
    RecipientPickup,
)
from haulier.contexts.recipients.deliveries.rules import (
    CHOOSE_WINDOW,
    DELIVERY_ACCESS_INVALID,
    RATE,
    parse_instruction,
    possible_choices,
)
from haulier.contexts.routes.public import (
    RouteRow,
    StopRow,
    get_route_row,
    list_stops_of_orders,
    list_stops_of_routes,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, SUCCESSFUL, StopKind, StopStatus
from haulier.contexts.tracking.public import describe_delivery, find_timelines, status_describer
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.ids import hash_token
from haulier.rendering.page import Page
from haulier.rendering.papers import DeliveryProofPaper, ProofPicture, lay_out_proof_of_delivery

DAYS_AHEAD, WINDOWS_MAX = 14, 40


class PendingVisit(Struct, frozen=True):
    """Pending stop of a started route, with the number of stops before it."""

    route: RouteRow
    stop: StopRow
    stops_before: int


async def list_choosable_windows(call: Call, order: RecipientFacts) -> list[FreeWindow]:
    """Return windows of the next two weeks that have free capacity and no price."""
    postal_code = (order.consignee or {}).get("postal_code")
    if not postal_code or order.status.name not in BOOKABLE_ORDER_STATUSES:
        return []
    return await list_free_windows(call, postal_code, days=DAYS_AHEAD, limit=WINDOWS_MAX)


async def list_choices(call: Call, order: RecipientFacts) -> list[str]:
    """Return the choices of an order's recipient.

    Choosing a window is included only if one is available.
    """
    delivered = order.type != "P" and order.consignee and order.pickup_depot_id is None
    possible = possible_choices(order.status) if delivered else []
    if order.type != "P" and can_rate(order.status, order.rated_at, call.now):
        possible.append(RATE)
    if CHOOSE_WINDOW in possible and not await list_choosable_windows(call, order):
        possible.remove(CHOOSE_WINDOW)
    return possible


async def get_sender_name(call: Call, order: RecipientFacts) -> str | None:
    """Return the shipper or the ordering customer, or None for the business itself."""
    if order.shipper and order.shipper.get("name"):
        return order.shipper["name"]
    users = await get_users_by_id(call, [order.customer_id]) if order.customer_id else {}
    return next((user.name for user in users.values()), None)


FILES_PATH = "/api/v1/files/"


async def open_access(call: Call, request: DeliveryAccess) -> tuple[Call, RecipientFacts]:
    """Return the business's call and the order behind a recipient's token.

    Raises `DELIVERY_ACCESS_INVALID`.
    """
    row = await store.get_delivery_access(call.work, hash_token(request.access.get_secret_value()))
    if row is None or row.expires_at <= call.now:
        raise DELIVERY_ACCESS_INVALID()
    return await load_order(call, row.client_id, row.order_id)


async def load_order(call: Call, client_id: int, order_id: int) -> tuple[Call, RecipientFacts]:
    """Return a call of the order's business, and the order. Raises `NOT_FOUND`."""
    own = await call_for_client(call, client_id)
    facts = (await get_recipient_facts(own, [order_id])).get(order_id)
    if facts is None:
        raise NOT_FOUND()
    return own, facts


async def load_delivery_notice(call: Call, order: RecipientFacts) -> DeliveryNotice:
    """Return the public information about a delivery, without personal data."""
    waits = order.status is OrderStatus.FAILED
    last = await _last_visit(call, order) if waits else None
    visit = await find_pending_visit(call, order) if order.status in ON_THE_WAY_STATUSES else None
    return DeliveryNotice(
        tracking_number=order.tracking_number,
        business=await load_brand(call),
        day=order.scheduled_date,
        window_start=call.local_time(order.window_start),
        window_end=call.local_time(order.window_end),
        time_zone=call.time_zone.key,
        stops_before=visit.stops_before if visit else None,
        expected_at=call.local_time(visit.stop.planned_arrival_at) if visit else None,
        parcels=await _load_parcels(call, order),
        for_pickup=order.pickup_depot_id is not None,
        missed_at=call.local_time(last.ended_at) if last else None,
        choices=await list_choices(call, order),
    )


async def find_pending_visit(call: Call, order: RecipientFacts) -> PendingVisit | None:
    """Return the visit that a driver on the way will make next to an order, or None."""
    stops = [stop for stop in await list_stops_of_orders(call, [order.id]) if StopStatus(stop.status) in OPEN]
    stop = max(stops, key=lambda each: each.id, default=None)
    route = await get_route_row(call, stop.route_id) if stop else None
    if stop is None or route is None or route.status != RouteStatus.STARTED:
        return None
    others = await list_stops_of_routes(call, [route.id])
    before = {each.order_id for each in others if StopStatus(each.status) in OPEN and each.position < stop.position}
    return PendingVisit(route, stop, len(before))


async def _load_parcels(call: Call, order: RecipientFacts) -> list[ParcelOfOrder]:
    """Return the parcels of a divided order. Four statements at most."""
    parts = await list_order_parts(call, order.id)
    if len(parts) < 2:
        return []
    orders = await get_recipient_facts(call, [part.order_id for part in parts])
    timelines = await find_timelines(call.work, {each.tracking_number for each in orders.values()})
    describe = status_describer(call)
    parcels: list[ParcelOfOrder] = []
    for part in parts:
        number = orders[part.order_id].tracking_number
        events = [event for event in timelines[number].events if not event.late] if number in timelines else []
        last = events[-1] if events else None
        parcels.append(
            ParcelOfOrder(
                number=part.number,
                tracking_number=number,
                status=last and last.status_code,
                description=describe(last.status_code, last.phase) if last else None,
                expected_on=part.expected_on,
            )
        )
    return parcels


async def load_delivery(call: Call, order: RecipientFacts) -> Delivery:
    """Return the delivery as its verified recipient sees it."""
    address = order.consignee or {}
    instruction = parse_instruction(call.app.catalogues, order.delivery_instruction)
    return Delivery(
        tracking_number=order.tracking_number,
        status=order.status.name,
        sender=await get_sender_name(call, order),
        name=address.get("name") or "",
        address=", ".join(filter(None, (address.get("address"), address.get("unit")))),
        city=address.get("city") or "",
        postal_code=address.get("postal_code"),
        day=order.scheduled_date,
        window_start=call.local_time(order.window_start),
        window_end=call.local_time(order.window_end),
        delivery_instruction=instruction.render(call.app.catalogues, call.language) or None,
        instruction=instruction.text,
        neighbour=instruction.neighbour,
        pickup=await _load_pickup(call, order),
        proof=await load_proof(call, order),
        contents=await _contents(call, order),
        rating=order.rating,
        rating_comment=order.rating_comment,
        choices=await list_choices(call, order),
    )


async def _load_pickup(call: Call, order: RecipientFacts) -> RecipientPickup | None:
    """Return the pickup of an order at a depot, or None.

    It has the code while the order is ready.
    """
    if order.pickup_depot_id is None:
        return None
    depot = (await get_pickup_depots(call, [order])).get(order.pickup_depot_id)
    is_ready = order.pickup_ready_at is not None and order.status is OrderStatus.NEW_ORDER
    return RecipientPickup(
        depot=depot and depot.name,
        address=depot and depot.address,
        ready_at=call.local_time(order.pickup_ready_at),
        held_until=order.pickup_until,
        code=await get_delivery_pin(call, order.id) if is_ready else None,
    )


async def _contents(call: Call, order: RecipientFacts) -> list[ContentsLine]:
    """Return the lines of an order whose sender shows them to the recipient."""
    items = await load_paper_items(call, [order.id]) if order.show_items_to_recipient else {}
    return [
        ContentsLine(description=item.description or item.sku or "", quantity=item.quantity)
        for item in items.get(order.id, ())
    ]


async def load_proof(call: Call, order: RecipientFacts) -> DeliveryProof | None:
    """Return the proof of an order, or None if undelivered or driven by no driver."""
    if order.status is not OrderStatus.DELIVERED:
        return None
    if order.pickup_depot_id is not None:
        return await _load_proof_of_pickup(call, order)
    stop = await _last_visit(call, order)
    if stop is None or StopStatus(stop.status) not in SUCCESSFUL:
        return None
    proof = stop.proof or {}
    if call.principal.account is Account.CUSTOMER:
        proof = _without_third_person(proof)
    signature = _own_file(call, proof.get("signature_url"))
    photos = [_own_file(call, url) for url in proof.get("photo_urls") or ()]
    outcome = _reported_outcome(proof)
    return DeliveryProof(
        at=call.local_time(stop.ended_at),
        recipient=proof.get("recipient"),
        handed_to=HandedTo(proof["handed_to"]) if proof.get("handed_to") else None,
        left_at=proof.get("left_at"),
        pieces_left=len(proof.get("left") or ()),
        outcome=describe_delivery(call.app, call.language, outcome) if outcome else None,
        signature=signature,
        photos=[file_id for file_id in photos if file_id is not None],
    )


async def _load_proof_of_pickup(call: Call, order: RecipientFacts) -> DeliveryProof | None:
    """Return the proof of an order that was collected at a depot.

    It was a valid code, or an identified person.
    """
    steps = [each for each in await list_order_steps(call, order.id) if each.step == OrderStep.COLLECT]
    if not steps:
        return None
    person = steps[-1].reason
    return DeliveryProof(
        at=call.local_time(steps[-1].at),
        recipient=person,
        handed_to=None if person else HandedTo.RECIPIENT,
        left_at=None,
        pieces_left=0,
        outcome=None,
        signature=None,
        photos=[],
    )


def _without_third_person(proof: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a proof that names no person or place other than the recipient."""
    if not proof.get("handed_to"):
        return proof
    hidden = {"left_at", "recipient"} if names_third_person(proof["handed_to"]) else {"left_at"}
    return {name: value for name, value in proof.items() if name not in hidden}


def _reported_outcome(proof: Mapping[str, Any]) -> DeliveryOutcome | None:
    """Return the receiver of a delivery, or None if it was not reported."""
    if not proof.get("handed_to"):
        return None
    handed_to = HandedTo(proof["handed_to"])
    name = None if handed_to is HandedTo.RECIPIENT else proof.get("recipient")
    return DeliveryOutcome(handed_to=handed_to.value, name=name or UNSET, left_at=proof.get("left_at") or UNSET)


def _own_file(call: Call, url: str | None) -> int | None:
    """Return the id of a stored file, or None.

    External addresses are not shown to recipients.
    """
    name = (url or "").removeprefix(f"{call.app.base_url}{FILES_PATH}")
    return int(name) if name.isascii() and name.isdecimal() else None


async def load_proof_file(call: Call, order: RecipientFacts, file_id: int) -> ProofFile:
    """Return an image of an order's proof. Raises `NOT_FOUND` for other files."""
    proof = await load_proof(call, order)
    if proof is None or file_id not in (*proof.photos, proof.signature):
        raise record_not_found(file_id=file_id)
    facts = (await get_file_facts(call, [file_id])).get(file_id)
    if facts is None:
        raise record_not_found(file_id=file_id)
    content = await get_file_content(call, file_id)
    return ProofFile(media_type=facts.media_type, content=b64encode(content).decode())


async def _last_visit(call: Call, order: RecipientFacts) -> StopRow | None:
    kind = StopKind.PICKUP if order.type == "P" else StopKind.DELIVERY
    stops = [stop for stop in await list_stops_of_orders(call, [order.id]) if stop.kind == kind]
    return max(stops, key=lambda stop: stop.id, default=None)


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
