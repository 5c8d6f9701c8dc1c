"""Operations that show a recipient the delivery PIN, and let staff renew it."""

from haulier.contexts.driver_app.delivery_pins.contract import (
    DeliveryPin,
    RenewDeliveryPin,
    RenewedDeliveryPin,
    ShowDeliveryPin,
)
from haulier.contexts.driver_app.delivery_pins.rules import proves_recipient
from haulier.contexts.orders.public import (
    OPEN_STATUS_NAMES,
    find_order_of_any_client,
    get_delivery_pin,
    renew_delivery_pin,
)
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found


@reads(
    "show_delivery_pin",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/tracking/delivery-pin", area=Area.TRACKING), GraphQL("deliveryPin")),
    # Postal codes and phone digits can be guessed, so each number allows only a few requests.
    limits=(
        RateLimit(20, 3600, ("tracking_number",), exact=True),
        RateLimit(60, 3600, ("address",), exact=True),
    ),
    errors=(NOT_FOUND,),
)
async def show_delivery_pin(call: Call, request: ShowDeliveryPin) -> DeliveryPin:
    """Show a recipient the delivery PIN.

    The driver asks for the PIN. The caller must know the tracking number and a second detail: the email address of the
    recipient, which drivers cannot see, or their postal code or phone if the order has no email address. Drivers, staff
    and senders never see the PIN. An order without a PIN, a completed order and a wrong detail all get the same answer.
    """
    order = await find_order_of_any_client(call, request.tracking_number)
    if order is None or order.over or not proves_recipient(order.consignee, request.proof):
        raise record_not_found(tracking_number=request.tracking_number)
    work = call.work.for_tenant(order.client_id, "a recipient proved that an order is for them")
    pin = await get_delivery_pin(await call_as_system(call.app, order.client_id, work, now=call.now), order.id)
    if pin is None:
        raise record_not_found(tracking_number=request.tracking_number)
    return DeliveryPin(pin=pin)


@writes(
    "renew_delivery_pin",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    available_when={"status": OPEN_STATUS_NAMES},
    interfaces=(Rest("POST", "/v1/orders/{order_id}/delivery-pin/renew"), GraphQL("renewDeliveryPin")),
    errors=(NOT_FOUND,),
)
async def renew_an_orders_pin(call: Call, request: RenewDeliveryPin) -> RenewedDeliveryPin:
    """Renew the delivery PIN of an order.

    Use it, for example, after too many wrong attempts. Only the recipient can see the new PIN.
    """
    if not await renew_delivery_pin(call, request.order_id):
        raise record_not_found(order_id=request.order_id)
    call.add_audit_subjects("order", request.order_id)
    return RenewedDeliveryPin(order_id=request.order_id, message=call.translate("delivery_pin_renewed"))
