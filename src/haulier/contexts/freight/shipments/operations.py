"""Operations on freight shipments."""

from base64 import b64encode
from typing import Any

from haulier.contexts.billing.public import SERVICE_PRICE_OUT_OF_RANGE, ProductClass, price_with_tax
from haulier.contexts.freight.shipments import actions, store
from haulier.contexts.freight.shipments.contract import (
    CancelFreightShipment,
    CreatedFreightShipment,
    CreateFreightShipment,
    DeliverFreightShipment,
    FreightDocument,
    FreightQuote,
    FreightShipmentAnswer,
    FreightShipmentList,
    FreightShipmentRef,
    GetFreightDocument,
    ListFreightShipments,
    QuoteFreight,
    RecordFreightStep,
    SetFreightAppointment,
    UpdateFreightShipment,
)
from haulier.contexts.freight.shipments.queries import get_visible_shipment, price_shipment
from haulier.contexts.freight.shipments.rules import (
    DELIVERED,
    FREIGHT_APPOINTMENT_REFUSED,
    FREIGHT_LIFE,
    FREIGHT_NOT_DELIVERED,
    FREIGHT_STEP_REFUSED,
    OPEN_FOR_APPOINTMENT,
    RECORDED_STEPS,
    AppointmentKind,
    FreightStep,
    classify,
    loading_length_mm,
)
from haulier.contexts.freight.shipments.serializers import (
    price_lines,
    shipment_detail,
    shipment_pdf,
    shipment_summary,
    unit_records,
)
from haulier.contexts.freight.shipments.store import FreightShipmentRow
from haulier.contexts.freight.tariffs.rules import FREIGHT_OUT_OF_AREA, FREIGHT_TARIFF_MISSING
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP
from haulier.contexts.tracking.timelines.rules import TRACKING_NUMBER_TAKEN
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.money import Money
from haulier.kernel.values.pagination import total_fields

SHIPMENTS = "/v1/freight/shipments"
SHIPMENT = f"{SHIPMENTS}/{{freight_shipment_id}}"
USERS = OFFICE | {Account.CUSTOMER}
PRICE_ERRORS = (FREIGHT_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE)
PDF = "application/pdf"
AS_PDF = Representations(
    (Representation(PDF, "content"),), field="form", data_field="content", media_type_field="media_type"
)


@reads(
    "quote_freight",
    audience=USERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("POST", "/v1/freight/quotes"),
        GraphQL("freightQuote"),
        Mcp("quote_freight", title="Quote freight"),
    ),
    errors=(FREIGHT_TARIFF_MISSING, *PRICE_ERRORS),
)
async def quote_freight(call: Call, request: QuoteFreight) -> FreightQuote:
    """Quote a freight shipment.

    Finds the freight class of each handling unit by its density, and the price by the tariff.
    """
    sent = request.model_dump(mode="json")
    units = [classify(unit) for unit in sent["handling_units"]]
    price = await price_shipment(
        call, units, sent["consignee"], sorted(sent["accessorials"]), sent["declared_value_minor"]
    )
    net = Money(price.total_minor, price.currency)
    payer = call.actor if is_customer(call) else None
    return FreightQuote(
        handling_units=unit_records(units),
        weight_g=sum(unit["weight_g"] * unit["quantity"] for unit in units),
        loading_mm=loading_length_mm(units),
        shipping_price=net.minor,
        tax=(await price_with_tax(call, payer, net, ProductClass.DELIVERY)).minor - net.minor,
        currency=price.currency,
        price_details=price_lines(call, price),
    )


@writes(
    "create_freight_shipment",
    audience=USERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", SHIPMENTS),
        GraphQL("createFreightShipment"),
        Mcp("create_freight_shipment", title="Create a freight shipment"),
    ),
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CLIENT_KEY_REUSED, ORDER_FOR_PICKUP, *PRICE_ERRORS),
)
async def create_freight_shipment(call: Call, request: CreateFreightShipment) -> CreatedFreightShipment:
    """Create a freight shipment.

    The freight class follows from the density, unless the NMFC item requires another. The price is that of the
    tariff at this time.
    """
    row, existing = await actions.create_shipment(call, request)
    return CreatedFreightShipment(freight_shipment=shipment_detail(call, row), existing=existing)


@reads(
    "list_freight_shipments",
    audience=USERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", SHIPMENTS),
        GraphQL("freightShipments"),
        Mcp("list_freight_shipments", title="List freight shipments"),
    ),
)
async def list_freight_shipments(call: Call, request: ListFreightShipments) -> FreightShipmentList:
    """List freight shipments, newest first.

    Customers see their own.
    """
    filters = {"status", "customer_id", "order_id", "shipment_ref"}
    wanted: dict[str, Any] = request.model_dump(mode="json", include=filters, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_shipment_rows(
        call.work, wanted, request.number, limit=request.per_page, offset=request.offset
    )
    return FreightShipmentList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        freight_shipments=[shipment_summary(call, row) for row in rows],
    )


@reads(
    "get_freight_shipment",
    audience=USERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", SHIPMENT),
        GraphQL("freightShipment"),
        Mcp("get_freight_shipment", title="Show a freight shipment"),
    ),
    errors=(NOT_FOUND,),
)
async def get_freight_shipment(call: Call, request: FreightShipmentRef) -> FreightShipmentAnswer:
    """Get a freight shipment.

    Includes its handling units with their classes, appointments, delivery receipt and next steps.
    """
    return _answer(call, await get_visible_shipment(call, request.freight_shipment_id))


def _answer(call: Call, row: FreightShipmentRow) -> FreightShipmentAnswer:
    return FreightShipmentAnswer(freight_shipment=shipment_detail(call, row))


@writes(
    "update_freight_shipment",
    audience=USERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", SHIPMENT), GraphQL("updateFreightShipment")),
    errors=(NOT_FOUND, FREIGHT_STEP_REFUSED, *PRICE_ERRORS),
    available_when={"status": FREIGHT_LIFE.allowing(FreightStep.UPDATE)},
)
async def update_freight_shipment(call: Call, request: UpdateFreightShipment) -> FreightShipmentAnswer:
    """Update a freight shipment before its pickup.

    Classes and price are computed again. Customers can change their shipments until the carrier accepts them.
    """
    return _answer(call, await actions.update_shipment(call, request))


@writes(
    "cancel_freight_shipment",
    audience=USERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{SHIPMENT}/cancel"), GraphQL("cancelFreightShipment")),
    errors=(NOT_FOUND, FREIGHT_STEP_REFUSED),
    available_when={"status": FREIGHT_LIFE.allowing(FreightStep.CANCEL)},
)
async def cancel_freight_shipment(call: Call, request: CancelFreightShipment) -> FreightShipmentAnswer:
    """Cancel a freight shipment.

    Possible until the pickup. Cancelling it again changes nothing.
    """
    return _answer(call, await actions.cancel_shipment(call, request.freight_shipment_id, request.reason))


@writes(
    "record_freight_step",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{SHIPMENT}/steps"),
        GraphQL("recordFreightStep"),
        Mcp("record_freight_step", title="Record a freight step"),
    ),
    errors=(NOT_FOUND, FREIGHT_STEP_REFUSED, TRACKING_NUMBER_TAKEN),
    available_when={"status": FREIGHT_LIFE.allowing(*RECORDED_STEPS)},
)
async def record_freight_step(call: Call, request: RecordFreightStep) -> FreightShipmentAnswer:
    """Record a step of a freight shipment.

    Tender, acceptance with the PRO number, pickup, transit and delivery attempts appear on the tracking timeline. The
    customer is charged at the time of the tariff.
    """
    return _answer(call, await actions.record_step(call, request))


@writes(
    "deliver_freight_shipment",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{SHIPMENT}/delivery"),
        GraphQL("deliverFreightShipment"),
        Mcp("deliver_freight_shipment", title="Deliver a freight shipment"),
    ),
    errors=(NOT_FOUND, FREIGHT_STEP_REFUSED),
    available_when={"status": FREIGHT_LIFE.allowing(FreightStep.DELIVER)},
)
async def deliver_freight_shipment(call: Call, request: DeliverFreightShipment) -> FreightShipmentAnswer:
    """Record the delivery receipt of a freight shipment.

    Shortage and damage noted by the recipient make it delivered with exceptions.
    """
    return _answer(call, await actions.deliver_shipment(call, request))


@writes(
    "set_freight_appointment",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(
        Rest("POST", f"{SHIPMENT}/appointments"),
        GraphQL("setFreightAppointment"),
        Mcp("set_freight_appointment", title="Set a freight appointment"),
    ),
    errors=(NOT_FOUND, FREIGHT_STEP_REFUSED, FREIGHT_APPOINTMENT_REFUSED),
    available_when={"status": OPEN_FOR_APPOINTMENT[AppointmentKind.DELIVERY]},
)
async def set_freight_appointment(call: Call, request: SetFreightAppointment) -> FreightShipmentAnswer:
    """Set an appointment of a freight shipment.

    Pickup and delivery appointments are requested, confirmed, rescheduled or missed. Rescheduled and missed ones
    appear on the tracking timeline.
    """
    return _answer(call, await actions.set_appointment(call, request))


@reads(
    "get_freight_document",
    audience=USERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", f"{SHIPMENT}/document", representations=AS_PDF),
        GraphQL("freightDocument"),
        Mcp("get_freight_document", title="Get a freight document"),
    ),
    errors=(NOT_FOUND, FREIGHT_NOT_DELIVERED),
)
async def get_freight_document(call: Call, request: GetFreightDocument) -> FreightDocument:
    """Get a freight document as PDF.

    A bill of lading, or a delivery receipt after the delivery. The straight bill of lading has the shipper, consignee,
    handling units with NMFC items and classes, and lines to sign. It has no prices.
    """
    row = await get_visible_shipment(call, request.freight_shipment_id)
    receipt = request.kind == "delivery_receipt"
    if receipt and row.status not in DELIVERED:
        raise FREIGHT_NOT_DELIVERED(status=row.status)
    content = await shipment_pdf(call, row, receipt=receipt)
    if request.form == "content":
        call.headers["Content-Disposition"] = f'inline; filename="{row.tracking_number}-{request.kind}.pdf"'
    return FreightDocument(number=row.tracking_number, media_type=PDF, content=b64encode(content).decode())
