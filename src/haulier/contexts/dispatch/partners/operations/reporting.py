"""The partner reports: the order takes its step at the giver's, and the giver's timeline shows whose word it is."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET

from haulier.contexts.dispatch.fields import REASON_MAX
from haulier.contexts.dispatch.partners import store
from haulier.contexts.dispatch.partners.contract import PartnerOrderAnswer, ReportPartnerOrder
from haulier.contexts.dispatch.partners.crossing import at_the_giver
from haulier.contexts.dispatch.partners.operations.partnerships import TAG
from haulier.contexts.dispatch.partners.operations.taking import ONE, answer, offer_to_us, source
from haulier.contexts.dispatch.partners.rules import (
    ENDS,
    MOVES,
    PARTNER_ORDER_NOT_HELD,
    PARTNER_REPORT_OUT_OF_TURN,
    SETTING_OUT,
)
from haulier.contexts.orders.public import OrderFacts, OrderStatus, Step, facts, take
from haulier.contexts.tracking.public import Happening, IncidentReason, Location, ProofOfDelivery, record
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, writes

CLOCKS_DIFFER = timedelta(minutes=10)


@writes(
    "report_partner_order",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, PARTNER_ORDER_NOT_HELD, PARTNER_REPORT_OUT_OF_TURN),
    doors=(Rest("POST", f"{ONE}/report", tag=TAG), GraphQL("reportPartnerOrder")),
)
async def report_partner_order(call: Call, request: ReportPartnerOrder) -> PartnerOrderAnswer:
    """Report what happened to an order that we have. The last report said again changes nothing.

    `delivered`, `returned` and `rejected` end it; after `failed` it is still ours to try again or to hand back.
    """
    if request.at and request.at > call.now + CLOCKS_DIFFER:
        raise INVALID_REQUEST.at(Fault("at", "field.in_the_future"))
    offer = await offer_to_us(call, request.offer_id)
    giver = await at_the_giver(call, offer)
    order = (await facts(giver, [offer.order_id], lock=True))[offer.order_id]
    offer = await offer_to_us(call, request.offer_id)  # again: another report may have had the order locked
    if offer.last_report == request.report:
        return await answer(call, offer.id)
    if not offer.held:
        raise PARTNER_ORDER_NOT_HELD()
    await _tell(giver, offer, order, request)
    said: dict[str, Any] = {"last_report": request.report.value, "reported_at": request.at or call.now}
    if end := ENDS.get(request.report):
        said |= {"status": end.value, "held": None, "ended_at": call.now}
    await store.change_held(call.work, offer.id, call.client_id, **said)
    return await answer(call, offer.id)


async def _tell(giver: Call, offer: Any, order: OrderFacts, request: ReportPartnerOrder) -> None:
    at, said = request.at or giver.now, source(offer)
    reason, where = _reason(request), _where(request)
    if request.report in MOVES:
        step, after = MOVES[request.report]
        if order.status.name != after:
            await _again(giver, offer, order, request, at)
            pod = ProofOfDelivery(recipient=request.recipient) if request.recipient else None
            words: dict[str, Any] = {"reason": reason, "pod": pod, "location": where, "source": said}
            note = request.note or offer.partner_code
            if await take(giver, Step(step), [order.id], at=at, note=note[:REASON_MAX], **words):
                raise PARTNER_REPORT_OUT_OF_TURN(report=request.report.value, status=order.status.name)
        return
    happening = Happening(
        tracking_number=order.tracking_number,
        status_code=request.report.value,
        occurred_at=at,
        order_id=order.id,
        location=where,
        incident_reason=reason,
        source=said,
    )
    await record(giver, [happening])


async def _again(giver: Call, offer: Any, order: OrderFacts, request: ReportPartnerOrder, at: datetime) -> None:
    """Who sets out once more after a failed attempt has planned to."""
    if order.status is OrderStatus.FAILED and request.report in SETTING_OUT:
        said = source(offer)
        await take(giver, Step.PLAN, [order.id], at=at, note=offer.partner_code, source=said)


def _reason(request: ReportPartnerOrder) -> IncidentReason | None:
    if request.incident is None:
        return None
    return IncidentReason(code=request.incident, note=request.note or UNSET)


def _where(request: ReportPartnerOrder) -> Location | None:
    return None if request.lat is None or request.lng is None else Location(lat=request.lat, lng=request.lng)
