"""Orders, as answers show them."""

from typing import Any

from msgspec import UNSET

from haulier.contexts.shipping.labels.rules.lifecycle import SHIPMENT_LIFE, ShipmentState, ShipmentStep
from haulier.contexts.shipping.labels.rules.rates import offer_from_document
from haulier.contexts.shipping.labels.serializers.shipments import is_office, shipment_remarks
from haulier.contexts.shipping.uniorder.contract.orders import UniorderDetail, UniorderRecord
from haulier.contexts.shipping.uniorder.contract.rates import family_of_kind
from haulier.contexts.shipping.uniorder.queries import CarriedUniorder
from haulier.contexts.shipping.uniorder.rules.states import STATUS_OF_ORDER, STATUS_OF_SHIPMENT
from haulier.contexts.shipping.uniorder.serializers.rates import label_charges, local_charges
from haulier.kernel.call import Call


def uniorder_record(call: Call, order: CarriedUniorder) -> UniorderRecord:
    """An order in a list."""
    return UniorderRecord(**_summary(call, order))


def uniorder_detail(call: Call, order: CarriedUniorder) -> UniorderDetail:
    """An order in full."""
    return UniorderDetail(**_summary(call, order), **_details(call, order))


def status_of(order: CarriedUniorder) -> str:
    """Where an order is, as whoever carries it says."""
    if order.delivery is not None:
        return STATUS_OF_ORDER[order.delivery.status].value
    if order.shipment is not None:
        return STATUS_OF_SHIPMENT[ShipmentState(order.shipment.row.state)].value
    return order.row.status


def tracking_numbers(order: CarriedUniorder) -> list[str]:
    """The number of each parcel."""
    carried = order.delivery.piece_numbers if order.delivery else order.shipment.numbers if order.shipment else ()
    return list(carried)


def _summary(call: Call, order: CarriedUniorder) -> dict[str, Any]:
    row, numbers = order.row, tracking_numbers(order)
    return {
        "id": row.id,
        "kind": row.kind,
        "price_family": family_of_kind(row.kind),
        "status": status_of(order),
        "order_ref": row.order_ref,
        "customer_id": row.customer_id,
        "local_order_id": row.local_order_id,
        "shipment_id": row.shipment_id,
        "carrier": row.carrier,
        "tracking_number": numbers[0] if numbers else None,
        "tracking_numbers": numbers,
        "ship_date": row.ship_date,
        "created_at": call.local_time(row.created_at),
        "updated_at": call.local_time(row.updated_at),
        **_carried(order),
    }


def _carried(order: CarriedUniorder) -> dict[str, Any]:
    if order.delivery is not None:
        price = order.delivery.price
        return {
            "account_id": None,
            "service": price.get("service"),
            "service_name": None,
            "consignee_name": order.delivery.name,
            "consignee_city": order.delivery.city,
            "shipping_price": price.get("total", UNSET),
            "currency": price.get("currency", UNSET),
        }
    if order.shipment is None:
        return dict.fromkeys(("account_id", "service", "service_name", "consignee_name", "consignee_city"))
    row = order.shipment.row
    return {
        "account_id": row.account_id,
        "carrier": row.carrier or order.row.carrier,
        "service": row.service,
        "service_name": row.service_name,
        "consignee_name": row.consignee_name,
        "consignee_city": row.terms["consignee"]["city"],
        "shipping_price": row.price_minor,
        "currency": row.currency,
    }


def _details(call: Call, order: CarriedUniorder) -> dict[str, Any]:
    if order.delivery is not None:
        price = order.delivery.price
        lines = tuple((line["code"], line["amount"]) for line in price.get("lines", ()))
        return {
            "carrier_status": order.delivery.status.name,
            "price_details": local_charges(lines, price.get("tax", 0)),
            "messages": [],
            "can_be_cancelled": order.delivery.can_be_cancelled,
            "can_purchase_label": False,
        }
    if order.shipment is None:
        return {"carrier_status": None, "messages": [], "can_be_cancelled": False, "can_purchase_label": False}
    row, office = order.shipment.row, is_office(call.principal)
    steps = SHIPMENT_LIFE.actions(ShipmentState(row.state))
    return {
        "carrier_status": row.state,
        "price_details": label_charges(offer_from_document(row.offer), office=office) if row.offer else [],
        "carrier_price": row.cost_minor if office else UNSET,
        "messages": shipment_remarks(call, row),
        "can_be_cancelled": ShipmentStep.VOID in steps,
        "can_purchase_label": ShipmentStep.BUY in steps,
    }
