"""Operations on order shipments."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP
from haulier.contexts.orders.fulfilments.rules import ORDER_HAS_HOLDER, ORDER_HAS_ROUTE, ORDER_HAS_SHIPMENT
from haulier.contexts.orders.public import (
    NO_PARTNERS,
    ORDER_IS_OVER,
    ORDER_STEP_REFUSED,
    PartnerQuotes,
    quote_partners,
    quote_rates,
)
from haulier.contexts.orders.quotes.contract import QuoteAddress, QuoteDelivery
from haulier.contexts.orders.quotes.rules import QUOTE_MISMATCH
from haulier.contexts.shipping.labels.actions.carrier_rates import KeptQuote, quote_terms
from haulier.contexts.shipping.labels.contract import CarrierRemark
from haulier.contexts.shipping.labels.operations.purchase import finish_purchase
from haulier.contexts.shipping.labels.rules import (
    SHIPMENT_REF_TAKEN,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    Offer,
)
from haulier.contexts.shipping.labels.serializers import remark_records, shipment_detail
from haulier.contexts.shipping.order_shipments.actions import (
    RatedOrder,
    load_conversions_of,
    load_order_terms,
    rate_order_to_ship,
    ship,
)
from haulier.contexts.shipping.order_shipments.contract import (
    ListShipQueue,
    OrderRate,
    OrderRateList,
    RateOrder,
    ShipOrder,
    ShippedOrder,
    ShipQueue,
)
from haulier.contexts.shipping.order_shipments.queries import get_failed_shipments, get_shelves, list_queued_orders
from haulier.contexts.shipping.order_shipments.rules import (
    ORDER_HELD_BY_RULE,
    latest_delivery,
)
from haulier.contexts.shipping.order_shipments.serializers import carrier_rate, own_rate, partner_rate, queued_order
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND, OperationError
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import total_fields

NOT_SHIPPABLE = (
    *(NOT_FOUND, ORDER_IS_OVER, ORDER_STEP_REFUSED, ORDER_FOR_PICKUP),
    *(ORDER_HAS_SHIPMENT, ORDER_HAS_ROUTE, ORDER_HAS_HOLDER),
)
SHIPPABLE_STATUSES = {"status": frozenset({"NEW_ORDER", "FAILED"})}


class QuotedOrder(Struct, frozen=True):
    """An order and its stored rates."""

    found: RatedOrder
    quote: KeptQuote


async def fetch_order_rates(context: RequestContext, request: RateOrder) -> QuotedOrder:
    """Return the rates of all carriers for an order, stored."""
    found = await load_order_terms(context, request, request.account_ids)
    quote = await quote_terms(
        context,
        found.terms,
        account_ids=request.account_ids,
        services=request.services,
        customer_id=found.order.customer_id,
    )
    return QuotedOrder(found, quote)


@reads(
    "list_ship_queue",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(Rest("GET", "/v1/order-ship-queue"), GraphQL("shipQueue")),
)
async def list_ship_queue(call: Call, request: ListShipQueue) -> ShipQueue:
    """List orders that wait for a label.

    New orders and failed deliveries without a label, contractor or partner. The earliest delivery day first.
    """
    orders, counted = await list_queued_orders(call, request)
    ids = [order.id for order in orders]
    shelves, failed = await get_shelves(call, ids), await get_failed_shipments(call, ids)
    return ShipQueue(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        orders=[queued_order(call, order, shelves.get(order.id), failed.get(order.id)) for order in orders],
    )


@reads(
    "rate_order",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/rates"),
        GraphQL("rateOrder"),
        Mcp("rate_order", title="Compare carriers for an order"),
    ),
    prepare=fetch_order_rates,
    errors=NOT_SHIPPABLE,
)
async def rate_order(call: Call, request: RateOrder) -> OrderRateList:
    """Compare own delivery, partners and carriers.

    Partners that share their rates are compared by their rate cards; the order can then be offered to one. Cheapest
    first, with the promised delivery time. An account or partner without a rate is named in `messages` with its reason.
    Prices in another currency are compared by the latest exchange rate; without one they are last.
    """
    prepared: QuotedOrder = call.prepared
    found, quote = prepared.found, prepared.quote
    own, faults = await _own_rates(call, found) if not request.account_ids else ([], [])
    partners = await quote_partners(call, found.order.id, _delivery(found)) if not request.account_ids else NO_PARTNERS
    conversions = await load_conversions_of(call, quote.rated.offers, partners.rates)
    carried = [carrier_rate(call, found, quote, offer, conversions) for offer in quote.rated.offers]
    return OrderRateList(
        order_id=found.order.id,
        quote_id=quote.id,
        deliver_by=call.local_time(latest_delivery(found.order, call.time_zone)),
        rates=sorted([*own, *(partner_rate(each, conversions) for each in partners.rates), *carried], key=_by_price),
        messages=[*faults, *_partner_remarks(call, partners), *remark_records(call, quote.rated.remarks)],
    )


def _by_price(rate: OrderRate) -> tuple[bool, str, int]:
    price = rate.converted_price_minor if rate.comparable else rate.shipping_price
    return not rate.comparable, "" if rate.comparable else str(rate.currency), price if isinstance(price, int) else 0


async def _own_rates(call: Call, found: RatedOrder) -> tuple[list[OrderRate], list[CarrierRemark]]:
    """Return the rates of own delivery, or the reason why there are none."""
    try:
        quoted = await quote_rates(call, _delivery(found))
    except OperationError as error:
        message = call.translate(error.error_type.id, **error.params)
        return [], [CarrierRemark(carrier=None, severity="error", code=error.error_type.code, text=message)]
    return [own_rate(call, found, rate, quoted.expires_at) for rate in quoted.rates], []


def _partner_remarks(call: Call, partners: PartnerQuotes) -> list[CarrierRemark]:
    """Return a remark on each partner without a rate."""
    reasons = (("partner_rates_not_shared", partners.not_shared), ("partner_rate_missing", partners.not_served))
    return [
        CarrierRemark(carrier=None, severity="info", code=reason.upper(), text=call.translate(reason, partner=partner))
        for reason, named in reasons
        for partner in named
    ]


def _delivery(found: RatedOrder) -> QuoteDelivery:
    order, terms = found.order, found.terms
    return QuoteDelivery(
        shipper=_place(order.shipper),
        consignee=_place(order.consignee),
        type=order.type,  # type: ignore[arg-type]
        weight_g=sum(parcel.weight_g for parcel in terms.parcels),
        packages=len(terms.parcels),
        signature_required=order.signature_required,
    )


def _place(end: Mapping[str, Any] | None) -> QuoteAddress:
    fields = QuoteAddress.model_fields
    return QuoteAddress.model_validate({name: value for name, value in (end or {}).items() if name in fields})


def _explain(call: Call, choice: str, offer: Offer) -> list[str]:
    """Return the reason for a choice; shipping rules bring their own."""
    if choice == "rules":
        return []
    return [call.translate(f"ship_choice_{choice}", service=offer.rate.name, account=offer.account)]


@writes(
    "ship_order",
    available_when=SHIPPABLE_STATUSES,
    audience=OFFICE,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/ship"),
        GraphQL("shipOrder"),
        Mcp("ship_order", title="Ship an order with a carrier"),
    ),
    prepare=rate_order_to_ship,
    after_commit=finish_purchase,
    errors=(
        *NOT_SHIPPABLE,
        CONFLICT,
        CREDIT_INSUFFICIENT,
        QUOTE_MISMATCH,
        SHIPMENT_REF_TAKEN,
        SHIPPING_RATE_EXPIRED,
        SHIPPING_RATE_NOT_AVAILABLE,
        ORDER_HELD_BY_RULE,
    ),
)
async def ship_order(call: Call, request: ShipOrder) -> ShippedOrder:
    """Ship an order with a parcel carrier.

    Buys a label for a quoted rate or a named service. Without either, shipping rules decide, else the cheapest service
    that delivers on time, else the fastest. With `deliver_by`, only services promised by that day are bought. The order
    gets the carrier's tracking and status. Its customer pays the label instead of local delivery. Void the label to
    free the order.
    """
    shipped = await ship(call, request, call.prepared)
    offer = shipped.offer
    return ShippedOrder(
        shipment=shipment_detail(call, shipped.row, ()),
        order_id=request.order_id,
        fulfilment_id=f"shipment-{shipped.row.id}",
        choice=shipped.choice,
        explanation=[*shipped.explanation, *_explain(call, shipped.choice, offer)],
    )
