"""Writes of order shipments: labels of orders."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.billing.public import Conversions, load_conversions
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.fulfilments.rules import CARRIER_FULFILMENT, ORDER_HAS_SHIPMENT
from haulier.contexts.orders.public import (
    ParcelScans,
    PartnerRate,
    ShippableOrder,
    assign_orders_to_third_party,
    find_order_of_customer,
    get_shippable_order,
    sync_order_with_shipment,
)
from haulier.contexts.orders.quotes.rules import DIFFERS, QUOTE_MISMATCH
from haulier.contexts.otep.public import Timeline, TrackingEvent
from haulier.contexts.shipping.accounts.queries import list_active_accounts
from haulier.contexts.shipping.labels.actions.carrier_rates import (
    Rated,
    get_quoted_offer,
    rate_terms,
    with_incomparable,
)
from haulier.contexts.shipping.labels.actions.submissions import (
    Draft,
    attach_shipment,
    claim_purchase,
    submit_shipment,
    terms_columns,
    withdraw_label,
)
from haulier.contexts.shipping.labels.contract import PurchaseTerms, ShipmentTerms
from haulier.contexts.shipping.labels.queries import (
    ShipmentRow,
    ShipmentWithNumbers,
    call_of,
    find_order_shipments,
    get_shipment_of_business,
    get_shipments_of_orders,
    list_shipments,
)
from haulier.contexts.shipping.labels.rules import (
    SHIPPING_RATE_NOT_AVAILABLE,
    Offer,
    ShipmentState,
    ship_moment,
)
from haulier.contexts.shipping.labels.serializers import remark_text
from haulier.contexts.shipping.order_shipments.contract import RateOrder, ShipOrder
from haulier.contexts.shipping.order_shipments.rules import (
    LIVE_STATES,
    ORDER_HELD_BY_RULE,
    OWN_FULFILMENT,
    Box,
    check_shippable,
    choose_offer,
    comparable_price,
    end_of_day,
    latest_delivery,
    make_terms,
    with_settings,
)
from haulier.contexts.shipping.package_presets.queries import PackagePresetRow, get_package_presets
from haulier.contexts.shipping.shipping_rules.actions import record_rule_choice
from haulier.contexts.shipping.shipping_rules.queries import RuleChoice, choose_by_rules, shipping_facts_of
from haulier.contexts.tracking.public import ANNOUNCED_PHASE, find_timelines
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError
from haulier.kernel.request_context import RequestContext


class RatedOrder(Struct, frozen=True, kw_only=True):
    """An order, its shipment and the carriers' rates; none for a quoted rate.

    `sent` is the shipment with the settings of shipping rules.
    """

    order: ShippableOrder
    terms: ShipmentTerms
    sent: ShipmentTerms
    rated: Rated | None = None
    rule: RuleChoice | None = None


async def load_order_terms(
    context: RequestContext, request: RateOrder | ShipOrder, account_ids: Collection[int]
) -> RatedOrder:
    """Return an order that can be shipped, and its shipment.

    Raises `NOT_FOUND`, and the reason why it cannot be shipped.
    """
    async with context.app.database.read(context.principal.client_id) as work:
        call = call_of(context, work)
        order = await _require_shippable(call, request.order_id)
        terms = await _terms_of(call, order, request, account_ids)
        return RatedOrder(order=order, terms=terms, sent=terms)


async def _require_shippable(call: Call, order_id: int, *, lock: bool = False) -> ShippableOrder:
    order = await get_shippable_order(call, order_id, lock=lock)
    for each in await get_shipments_of_orders(call.work, [order.id]):
        if each.row.state in LIVE_STATES:
            raise ORDER_HAS_SHIPMENT(shipment_id=each.row.id)
    if reason := check_shippable(order):
        raise reason
    return order


async def _terms_of(
    call: Call, order: ShippableOrder, request: RateOrder | ShipOrder, account_ids: Collection[int]
) -> ShipmentTerms:
    accounts = await list_active_accounts(call.work, account_ids)
    countries = {account.sender["country"] for account in accounts if account.sender}
    terms = make_terms(order, countries, ship_date=request.ship_date, currency=call.business.currency)
    if request.package_preset_id is None:
        return terms
    preset = (await get_package_presets(call.work)).get(request.package_preset_id)
    if preset is None:
        raise INVALID_REQUEST.for_fields(FieldError("package_preset_id", "field.package_preset_unknown"))
    return with_settings(terms, signature=False, box=_box_of(preset), insured=None)


def _box_of(preset: PackagePresetRow) -> Box:
    return Box(preset.length_mm, preset.width_mm, preset.height_mm, preset.empty_weight_g)


async def rate_order_to_ship(context: RequestContext, request: ShipOrder) -> RatedOrder:
    """Return the order with current rates, unless a quoted rate is named.

    Called before the transaction: carriers take seconds.
    """
    accounts = [request.account_id] if request.account_id else []
    found = await load_order_terms(context, request, accounts)
    if request.rate_id is not None:
        return found
    if request.service is None and request.account_id is None:
        found = await _apply_rules(context, found)
    account_id = request.account_id or (found.rule and found.rule.account_id)
    service = request.service or (found.rule and found.rule.service)
    rated = await rate_terms(
        context.app,
        context.principal.business,
        found.sent,
        account_ids=[account_id] if account_id else [],
        services=[service] if service else [],
    )
    named = [each for each in rated.offers if service in (None, each.rate.service)]
    return replace(found, rated=Rated(named, rated.remarks))


async def _apply_rules(context: RequestContext, found: RatedOrder) -> RatedOrder:
    """Return the order with the settings of shipping rules.

    Raises `ORDER_HELD_BY_RULE` if a rule holds the order.
    """
    async with context.app.database.read(context.principal.client_id) as work:
        call = call_of(context, work)
        facts = await shipping_facts_of(call, found.order.id)
        rule = await choose_by_rules(call, facts)
    if rule.hold is not None:
        raise ORDER_HELD_BY_RULE(reason=rule.hold)
    box = rule.package_preset
    sent = with_settings(
        found.terms,
        signature=bool(rule.signature),
        box=box and _box_of(box),
        insured=facts.goods_value if rule.insurance else None,
    )
    return replace(found, sent=sent, rule=rule)


class Shipped(Struct, frozen=True, kw_only=True):
    """The claimed shipment of an order, and the choice of its service."""

    row: ShipmentRow
    offer: Offer
    choice: str
    explanation: tuple[str, ...] = ()


async def ship(call: Call, request: ShipOrder, found: RatedOrder) -> Shipped:
    """Claim the purchase of an order's label.

    The order is locked, so that concurrent calls buy one label. A purchase that failed before is retried: its carrier
    is asked for the earlier request first.
    """
    failed = await _lock_failed_shipment(call, request.order_id)
    order = await _require_shippable(call, request.order_id, lock=True)
    accounts = [request.account_id] if request.account_id else []
    if await _terms_of(call, order, request, accounts) != found.terms:
        raise CONFLICT()
    offer, choice = await _choose(call, request, found)
    if failed is not None:
        await claim_purchase(call, failed, offer, **terms_columns(call, found.sent))
        row = await _reload(call, failed)
    else:
        purchase = PurchaseTerms(
            order_ref=order.order_ref, label_format=_label_format(request, found), customer_id=order.customer_id
        )
        draft = Draft(
            terms=found.sent,
            offer=offer,
            purchase=purchase,
            rate_id=f"order-{order.id}",
            order_id=order.id,
            order_fulfilment=order.fulfilment,
        )
        submitted = await submit_shipment(call, draft)
        if submitted.existing:
            raise ORDER_HAS_SHIPMENT(shipment_id=submitted.row.id)
        row = submitted.row
    await assign_orders_to_third_party(call, [order.id], held=False, fulfilment=CARRIER_FULFILMENT)
    call.add_audit_subjects("order", order.id)
    if found.rule is not None:
        await record_rule_choice(call, found.rule)
    return Shipped(row=row, offer=offer, choice=choice, explanation=found.rule.explanation if found.rule else ())


def _label_format(request: ShipOrder, found: RatedOrder) -> Any:
    """Return the named format, else that of the rules, else PDF."""
    chosen = found.rule and found.rule.label_format
    return request.label_format if "label_format" in request.model_fields_set or not chosen else chosen


async def _lock_failed_shipment(call: Call, order_id: int) -> ShipmentRow | None:
    """Lock and return the order's shipment whose label was not sold, or None.

    Shipments are locked before their orders everywhere, so that two calls never wait for each other.
    """
    for each in await get_shipments_of_orders(call.work, [order_id]):
        if each.row.state in (ShipmentState.FAILED, ShipmentState.DRAFT):
            locked = await get_shipment_of_business(call, each.row.id, lock=True)
            if locked is not None and locked.state == each.row.state:
                return locked
    return None


async def _reload(call: Call, row: ShipmentRow) -> ShipmentRow:
    found = await get_shipment_of_business(call, row.id)
    if found is None:
        raise CONFLICT()
    return found


async def _choose(call: Call, request: ShipOrder, found: RatedOrder) -> tuple[Offer, str]:
    """Return the offer to buy and the name of the choice.

    Raises `QUOTE_MISMATCH` for a rate of another shipment, `SHIPPING_RATE_NOT_AVAILABLE` with the carriers' remarks.
    """
    if request.rate_id is not None:
        quoted = await get_quoted_offer(call, request.rate_id)
        if quoted.terms != found.terms:
            raise QUOTE_MISMATCH.for_fields(FieldError("rate_id", DIFFERS))
        return quoted.offer, "rate"
    rated = found.rated or Rated((), ())
    conversions = await load_conversions_of(call, rated.offers)
    chosen = choose_offer(
        rated.offers,
        call.business.currency,
        partial(comparable_price, conversions),
        deliver_by=_deliver_by(call, request, found.order),
        ship_on=ship_moment(found.sent, call.now, call.time_zone).date(),
        zone=call.time_zone,
    )
    if chosen is None:
        explained = with_incomparable(call.app, rated, rated.offers, call.business.currency)
        said = "; ".join(dict.fromkeys(remark_text(call, each) for each in explained.remarks))
        raise SHIPPING_RATE_NOT_AVAILABLE(reason=said[:500] or "-")
    if request.deliver_by and chosen[1] != "cheapest_on_time":
        raise SHIPPING_RATE_NOT_AVAILABLE(reason=call.translate("ship_none_by_day", day=str(request.deliver_by)))
    if request.service:
        return chosen[0], "service"
    return (chosen[0], "rules") if found.rule and found.rule.service else chosen


def _deliver_by(call: Call, request: ShipOrder, order: ShippableOrder) -> datetime | None:
    """Return the requested latest delivery time, else that of the order."""
    return (
        end_of_day(request.deliver_by, call.time_zone) if request.deliver_by else latest_delivery(order, call.time_zone)
    )


async def load_conversions_of(call: Call, offers: Sequence[Offer], partners: Sequence[PartnerRate] = ()) -> Conversions:
    """Return the conversions of offers into the business's currency."""
    currencies = {offer.price.currency for offer in (*offers, *partners)}
    return await load_conversions(call, currencies, call.business.currency)


async def sync_orders_of_shipments(call: Call, shipment_ids: Collection[int]) -> None:
    """Set the fulfilment of orders by their shipments.

    A live label makes it `carrier`. Without one, the order gets its earlier fulfilment back. A label bought with an
    order's reference is attached to the order.
    """
    rows = await list_shipments(call, sorted(shipment_ids))
    attached = [row.order_id or await _attach(call, row) for row in rows]
    order_ids = {order_id for order_id in attached if order_id is not None}
    for order_id, shipments in _by_order(await get_shipments_of_orders(call.work, order_ids)).items():
        live = any(row.state in LIVE_STATES for row in shipments)
        fulfilment = CARRIER_FULFILMENT if live else shipments[-1].order_fulfilment or OWN_FULFILMENT
        await assign_orders_to_third_party(call, [order_id], held=False, fulfilment=fulfilment)
        await call.publish(OrderChanged(order_id=order_id))


def _by_order(shipments: Sequence[ShipmentWithNumbers]) -> dict[int, list[ShipmentRow]]:
    found: dict[int, list[ShipmentRow]] = {}
    for each in shipments:
        found.setdefault(each.row.order_id or 0, []).append(each.row)
    return found


async def _attach(call: Call, row: ShipmentRow) -> int | None:
    """Attach a label to the order with its reference, and return the order's id.

    None if no order has the reference, or another carrier delivers it.
    """
    if not row.order_ref or row.state not in LIVE_STATES:
        return None
    order_id = await find_order_of_customer(call, row.customer_id, row.order_ref)
    if order_id is None:
        return None
    order = await get_shippable_order(call, order_id, lock=True)
    if check_shippable(order):
        return None
    await attach_shipment(call, row.id, order.id, order.fulfilment)
    call.add_audit_subjects("order", order.id)
    return order.id


async def sync_shipments_with_scans(call: Call, numbers: Collection[str]) -> None:
    """Move the orders of shipments whose parcels were scanned."""
    for shipment in await find_order_shipments(call.work, numbers):
        row = shipment.row
        if row.state not in LIVE_STATES or row.order_id is None:
            continue
        timelines = await find_timelines(call.work, shipment.numbers)
        parcels = [ParcelScans(_scans_of(timelines.get(number))) for number in shipment.numbers]
        if any(parcel.events for parcel in parcels):
            await sync_order_with_shipment(call, row.order_id, row.carrier or "", parcels)


def _scans_of(timeline: Timeline | None) -> list[TrackingEvent]:
    """Return the scans of a parcel. That its label was printed is no scan."""
    events = timeline.events if timeline else ()
    return [event for event in events if not event.late and event.phase != ANNOUNCED_PHASE]


async def void_labels_of_order(call: Call, order_id: int) -> None:
    """Void the labels of a cancelled order, unless the carrier has its parcels."""
    for each in await get_shipments_of_orders(call.work, [order_id]):
        if each.row.state in LIVE_STATES:
            await withdraw_label(call, each.row.id)
