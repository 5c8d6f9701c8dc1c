"""Operations on luggage bookings."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.luggage.actions import bookings as actions
from haulier.contexts.lockers.luggage.actions.prices import has_room, price_wish
from haulier.contexts.lockers.luggage.contract.bookings import (
    FAMILY,
    BookLuggage,
    ListLuggageBookings,
    LuggageAnswer,
    LuggageList,
    LuggageQuote,
    LuggageRef,
    LuggageWish,
    UpdateLuggageBooking,
)
from haulier.contexts.lockers.luggage.queries import get_luggage, get_terms, is_driver, lock_luggage, own_driver_id
from haulier.contexts.lockers.luggage.rules import (
    LUGGAGE_STEP_REFUSED,
    LUGGAGE_TAG_TAKEN,
    BookingStep,
    LuggageEnd,
    statuses_allowing,
)
from haulier.contexts.lockers.luggage.serializers import luggage_answer, luggage_summary, quote_record
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/luggage"
BOOKING_PATH = f"{PATH}/{{luggage_id}}"
EITHER = OFFICE | {Account.CUSTOMER}
EVERYBODY = EITHER | {Account.DRIVER}
PRICING = (NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE)
FILTERS = {"status", "customer_id", "driver_id", "from_site_id", "to_site_id", "tracking_number", "late"}


@reads(
    "quote_luggage",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("POST", f"{PATH}/quote"), GraphQL("quoteLuggage")),
    errors=PRICING,
)
async def quote_luggage(call: Call, request: LuggageWish) -> LuggageQuote:
    """Quote the current price of a luggage relay.

    Also returns whether the lockers at the origin have room now.
    """
    priced = await price_wish(call, request)
    return quote_record(call, priced, len(request.bags), await has_room(call, request))


@writes(
    "book_luggage",
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PATH), GraphQL("bookLuggage")),
    errors=(*PRICING, NOT_A_CUSTOMER, LUGGAGE_TAG_TAKEN),
)
async def book_luggage(call: Call, request: BookLuggage) -> LuggageAnswer:
    """Book a luggage relay at today's price.

    A booking that is not paid in time is cancelled.
    """
    return await luggage_answer(call, await actions.book_luggage(call, request))


@reads(
    "list_luggage_bookings",
    audience=EVERYBODY,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("luggageBookings")),
)
async def list_luggage_bookings(call: Call, request: ListLuggageBookings) -> LuggageList:
    """List luggage bookings, newest first.

    Customers see their own bookings, drivers see those that they carry, and staff see all.
    """
    wanted = request.model_dump(include=FILTERS, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    elif is_driver(call):
        wanted["driver_id"] = await own_driver_id(call)
    rows, counted = await store.list_booking_rows(
        call.work, wanted, tag=request.tag, limit=request.per_page, offset=request.offset
    )
    terms = await get_terms(call)
    return LuggageList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        bookings=[luggage_summary(call, row, terms) for row in rows],
    )


@reads(
    "get_luggage_booking",
    audience=EVERYBODY,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", BOOKING_PATH), GraphQL("luggageBooking")),
    errors=(NOT_FOUND,),
)
async def get_luggage_booking(call: Call, request: LuggageRef) -> LuggageAnswer:
    """Retrieve a luggage booking.

    Includes the location and compartment of each bag and its chain of custody.
    """
    return await luggage_answer(call, await get_luggage(call, request.luggage_id))


@writes(
    "update_luggage_booking",
    allowed_where={"status": statuses_allowing(BookingStep.UPDATE)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", BOOKING_PATH), GraphQL("updateLuggageBooking")),
    errors=(*PRICING, LUGGAGE_STEP_REFUSED),
)
async def update_luggage_booking(call: Call, request: UpdateLuggageBooking) -> LuggageAnswer:
    """Update a luggage booking.

    Times can change until bags are handed in, the destination until they arrive. Unpaid bookings are repriced; paid
    bookings keep their price.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    return await luggage_answer(call, await actions.update_luggage(call, row, bags, request))


@writes(
    "pay_luggage_booking",
    allowed_where={"status": statuses_allowing(BookingStep.PAY)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{BOOKING_PATH}/pay"), GraphQL("payLuggageBooking")),
    errors=(NOT_FOUND, PRICE_HIDDEN, LUGGAGE_STEP_REFUSED, CREDIT_INSUFFICIENT),
)
async def pay_luggage_booking(call: Call, request: LuggageRef) -> LuggageAnswer:
    """Pay a luggage booking from customer credit.

    Compartments are reserved and codes sent an hour before the drop-off.
    """
    row, _ = await lock_luggage(call, request.luggage_id)
    require_price_visible(call.principal.hidden_prices, FAMILY)
    return await luggage_answer(call, await actions.pay_luggage(call, row))


@writes(
    "cancel_luggage_booking",
    allowed_where={"status": statuses_allowing(BookingStep.CANCEL)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{BOOKING_PATH}/cancel"), GraphQL("cancelLuggageBooking")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def cancel_luggage_booking(call: Call, request: LuggageRef) -> LuggageAnswer:
    """Cancel a luggage booking before drop-off.

    `refund_if_cancelled` is the refund: the full price first, later a share of it.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    back = actions.refund_now(call, row, await get_terms(call))
    changed = await actions.cancel_luggage(call, row, bags, LuggageEnd.CANCELLED, give_back_minor=back)
    return await luggage_answer(call, changed)
