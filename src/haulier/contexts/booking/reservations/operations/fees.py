"""Operations for no-show fees."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.booking.reservations.actions.money import pay_fee, waive_fee
from haulier.contexts.booking.reservations.contract.bookings import LOCAL, ReservationAnswer, ReservationRef
from haulier.contexts.booking.reservations.contract.fees import WaiveNoShowFee
from haulier.contexts.booking.reservations.operations.reservations import BOOKERS, RESERVATION_PATH, reservation_answer
from haulier.contexts.booking.reservations.queries import get_visible_reservation
from haulier.contexts.booking.reservations.rules import FEE_NOT_CHARGED, FEE_NOT_DUE, NoShowFee
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible

FEE_PATH = f"{RESERVATION_PATH}/no-show-fee"


@writes(
    "pay_no_show_fee",
    allowed_where={"no_show_fee_status": NoShowFee.DUE.value},
    audience=BOOKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{FEE_PATH}/pay"), GraphQL("payNoShowFee")),
    errors=(NOT_FOUND, PRICE_HIDDEN, FEE_NOT_DUE, CREDIT_INSUFFICIENT),
)
async def pay_no_show_fee(call: Call, request: ReservationRef) -> ReservationAnswer:
    """Pay a no-show fee from the customer's credit.

    For a customer who cannot see prices, staff pay the fee.
    """
    row = await get_visible_reservation(call, request.reservation_id, lock=True)
    require_price_visible(call.principal.hidden_prices, LOCAL)
    await pay_fee(call, row)
    return await reservation_answer(call, row.id, told=True)


@writes(
    "waive_no_show_fee",
    allowed_where={"no_show_fee_status": frozenset({NoShowFee.DUE, NoShowFee.PAID})},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{FEE_PATH}/waive"), GraphQL("waiveNoShowFee")),
    errors=(NOT_FOUND, FEE_NOT_CHARGED),
)
async def waive_no_show_fee(call: Call, request: WaiveNoShowFee) -> ReservationAnswer:
    """Waive a no-show fee.

    A paid fee is refunded to the customer's credit, or to the card used for a payment link. Repeated calls change
    nothing. A payment in progress is refunded in the same way.
    """
    row = await get_visible_reservation(call, request.reservation_id, lock=True)
    await waive_fee(call, row, request.reason)
    return await reservation_answer(call, row.id, told=True)
