"""Handovers of many stops, in a constant number of statements."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.driver_app.handovers.contract import (
    Handover,
    HandoverContact,
    HandoverPiece,
    RequiredProof,
)
from haulier.contexts.driver_app.handovers.rules import contact_end, is_contact_shown, required_proof
from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.driver_app.ports import LockerHandovers
from haulier.contexts.orders.public import OrderPiece, StopContacts, get_stop_contacts, list_order_pieces
from haulier.contexts.recipients.deliveries.rules import parse_instruction
from haulier.contexts.routes.public import RouteRow, StopRow, list_stops_of_routes
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.money import Money


async def load_handovers(call: Call, routes: Sequence[RouteRow], policy: RiderPolicy) -> dict[int, Handover]:
    """Return the handover of every stop of these routes, by stop id. Five statements."""
    stops = await list_stops_of_routes(call, [route.id for route in routes])
    order_ids = {stop.order_id for stop in stops}
    orders = await get_stop_contacts(call, order_ids)
    pieces: defaultdict[int, list[OrderPiece]] = defaultdict(list)
    for piece in await list_order_pieces(call, order_ids):
        pieces[piece.order_id].append(piece)
    statuses = {route.id: RouteStatus(route.status) for route in routes}
    days = {route.id: route.day for route in routes}
    into_lockers = call.app.find_adapter(LockerHandovers)
    lockers = await into_lockers.load(call, [(stop, days[stop.route_id]) for stop in stops]) if into_lockers else {}
    return {
        stop.id: replace(
            _handover(call, stop, statuses[stop.route_id], orders[stop.order_id], pieces[stop.order_id], policy),
            locker=lockers.get(stop.id),
        )
        for stop in stops
        if stop.order_id in orders
    }


class DeliveryDemands(Struct, frozen=True):
    """Requirements of a delivery: its proof, and the cash to collect (None if none)."""

    proof: RequiredProof
    due: Money | None


async def load_delivery_demands(call: Call, order_id: int) -> DeliveryDemands:
    """Return the requirements of an order's delivery."""
    policy = await load_rider_policy(call)
    order = (await get_stop_contacts(call, [order_id])).get(order_id)
    if order is None:
        return DeliveryDemands(required_proof(policy, minimum_age=None), None)
    cod_minor = order.terms.cod_minor
    return DeliveryDemands(
        _required_proof(policy, order), Money(cod_minor, call.business.currency) if cod_minor else None
    )


def _required_proof(policy: RiderPolicy, order: StopContacts) -> RequiredProof:
    terms = order.terms
    return required_proof(
        policy,
        signature=order.signature_required,
        photo=bool(terms.photo_required),
        pin=bool(terms.pin_required),
        minimum_age=terms.minimum_age,
    )


def _handover(
    call: Call,
    stop: StopRow,
    route: RouteStatus,
    order: StopContacts,
    pieces: Collection[OrderPiece],
    policy: RiderPolicy,
) -> Handover:
    kind, terms = StopKind(stop.kind), order.terms
    shown = is_contact_shown(StopStatus(stop.status), route)
    delivery = kind is StopKind.DELIVERY
    instruction = parse_instruction(call.app.catalogues, order.delivery_instruction)
    return Handover(
        contact=_contact(order, kind) if shown else None,
        instruction=(instruction.render(call.app.catalogues, call.language) or None) if shown else None,
        note=terms.note if shown else None,
        pieces=[record(HandoverPiece, piece, barcode=piece.tracking_number) for piece in pieces],
        weight_g=sum(piece.weight_g for piece in pieces),
        cod_minor=terms.cod_minor if delivery else None,
        currency=call.business.currency,
        skills=list(terms.skills),
        service_time_s=terms.service_time_s,
        proof=_required_proof(policy, order) if delivery else RequiredProof(),
    )


def _contact(order: StopContacts, kind: StopKind) -> HandoverContact | None:
    moved = order.goods_at if kind is StopKind.PICKUP else None
    end: Mapping[str, Any] | None = moved or getattr(order, contact_end(kind))
    names = HandoverContact.__struct_fields__
    return msgspec.convert({name: end.get(name) for name in names}, HandoverContact) if end else None
