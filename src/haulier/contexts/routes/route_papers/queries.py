"""Content of route papers: orders in stop order."""

from collections import Counter
from collections.abc import Iterable, Sequence

from babel.dates import format_time

from haulier.contexts.documents.public import (
    DocumentDraft,
    DocumentKind,
    DocumentPlan,
    DocumentSubject,
    paper_head,
    register_document_maker,
)
from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.public import PaperOrder, draw_labels, draw_packing_slips, load_paper_orders
from haulier.contexts.routes.routes.queries import get_route_row, get_visible_route
from haulier.contexts.routes.stops.queries import StopRow, list_stops_of_routes
from haulier.contexts.routes.stops.rules import StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import record_not_found
from haulier.rendering.labels import LabelParty
from haulier.rendering.page import Page
from haulier.rendering.papers import ManifestPaper, ManifestStop, lay_out_manifest

AUDIENCE = OFFICE | {Account.CONTRACTOR}


async def plan_route_document(call: Call, route_ids: Sequence[int]) -> DocumentPlan:
    """Return the plan of a document about a visible route.

    Raises `NOT_FOUND`, also for a route without stops.
    """
    route = await get_visible_route(call, route_ids[0])
    order_ids = list(dict.fromkeys(stop.order_id for stop in await _list_open_stops(call, route.id)))
    if not order_ids:
        raise record_not_found(route_id=route.id)
    return DocumentPlan(record_ids=order_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_manifest(call: Call, draft: DocumentDraft) -> list[Page]:
    """The stops of the route as they are planned now, with room to sign."""
    route = await get_route_row(call, draft.subject_id or 0)
    if route is None:
        raise record_not_found(route_id=draft.subject_id)
    stops = await _list_open_stops(call, route.id)
    orders, pieces = await load_paper_orders(call, list(dict.fromkeys(stop.order_id for stop in stops)))
    count = Counter(piece.order_id for piece in pieces)
    weight: Counter[int] = Counter()
    for piece in pieces:
        weight[piece.order_id] += piece.weight_g
    known = {order.id: order for order in orders}
    shown = [stop for stop in stops if stop.order_id in known]
    manifest = ManifestPaper(
        head=paper_head(call, draft),
        route=route.name or str(route.id),
        day=route.day.isoformat(),
        driver=route.driver_name,
        depot=route.depot_name,
        stops=[
            _manifest_stop(call, number, stop, known[stop.order_id], count[stop.order_id], weight[stop.order_id])
            for number, stop in enumerate(shown, 1)
        ],
    )
    return lay_out_manifest(manifest)


async def _list_open_stops(call: Call, route_id: int) -> list[StopRow]:
    stops: Iterable[StopRow] = await list_stops_of_routes(call, [route_id])
    return [stop for stop in stops if stop.on_route and stop.status != StopStatus.CANCELLED]


def _manifest_stop(
    call: Call, number: int, stop: StopRow, order: PaperOrder, pieces: int, weight_g: int
) -> ManifestStop:
    fetched = stop.kind == StopKind.PICKUP
    party = order.sender if fetched else order.recipient
    planned = call.local_time(stop.planned_arrival_at)
    return ManifestStop(
        position=number,
        kind=call.translate("label_type_P" if fetched else "label_type_D"),
        name=party.name,
        address=_address(party),
        tracking_number=order.tracking_number,
        reference=order.order_ref,
        pieces=pieces,
        weight_g=weight_g,
        planned=planned and format_time(planned.timetz(), "short", locale=call.language.replace("-", "_")),
        cod=None if fetched else order.cod,
    )


def _address(party: LabelParty) -> str:
    return ", ".join(filter(None, (*party.address, party.place)))


for _kind, _draw, _each in (
    (DocumentKind.LABELS, draw_labels, True),
    (DocumentKind.PACKING_SLIP, draw_packing_slips, True),
    (DocumentKind.MANIFEST, draw_manifest, False),
):
    register_document_maker(
        _kind, DocumentSubject.ROUTE, plan=plan_route_document, draw=_draw, each=_each, audience=AUDIENCE
    )
