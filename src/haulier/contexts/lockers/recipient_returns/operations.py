"""Operations on recipient returns."""

from typing import Any

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX
from haulier.contexts.lockers.recipient_returns import actions, store
from haulier.contexts.lockers.recipient_returns.contract import (
    BegunReturn,
    CreateDeliveryReturn,
    DeliveryReturn,
    DeliveryReturnAnswer,
    FindReturnOffer,
    ListRecipientReturns,
    RecipientReturnList,
    ReturnSettingsAnswer,
    SetReturnSettings,
)
from haulier.contexts.lockers.recipient_returns.queries import find_newest_return, find_offer
from haulier.contexts.lockers.recipient_returns.rules import (
    RETURN_BEGUN,
    RETURN_NOT_OFFERED,
    RETURN_REFUSED,
    RETURN_UNDER_WAY,
)
from haulier.contexts.lockers.recipient_returns.serializers import (
    delivery_return,
    offer_record,
    return_records,
    settings_record,
)
from haulier.contexts.lockers.recipient_returns.store import RecipientReturnRow
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.contexts.recipients.public import ACCESS_LIMITS, DELIVERY_ACCESS_INVALID, open_access
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields


@reads(
    "list_recipient_returns",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/recipient-returns", area=Area.ORDERS), GraphQL("recipientReturns")),
)
async def list_recipient_returns(call: Call, request: ListRecipientReturns) -> RecipientReturnList:
    """List returns from recipients, newest first.

    Includes the reason, return method and status. Customers see the returns of their own orders.
    """
    wanted: dict[str, Any] = request.model_dump(mode="json", include={"order_id", "way", "outcome"}, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_return_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return RecipientReturnList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        returns=await return_records(call, rows),
    )


RECIPIENTS_PATH = "/v1/tracking/deliveries/return"
PUBLIC = frozenset({Account.PUBLIC})
RETURN_LIMITS = (RateLimit(20, 60, ("address",)),)


@reads(
    "get_delivery_return",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{RECIPIENTS_PATH}/read"), GraphQL("deliveryReturn")),
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
)
async def get_delivery_return(call: Call, request: FindReturnOffer) -> DeliveryReturnAnswer:
    """Retrieve the return options of your delivery.

    Returns the current return, and the options for a new one: deadline, reasons, methods and nearby lockers. Both are
    null if the business doesn't accept returns, or the period is over.
    """
    own, order = await open_access(call, request)
    row, offer = await find_newest_return(own, order.id), await find_offer(own, order, request.size)
    return DeliveryReturnAnswer(
        begun=await _shown(own, row) if row else None, offer=offer_record(own, offer) if offer else None
    )


@writes(
    "create_delivery_return",
    audience=PUBLIC,
    replayable=False,
    interfaces=(Rest("POST", RECIPIENTS_PATH), GraphQL("createDeliveryReturn")),
    limits=RETURN_LIMITS,
    errors=(
        DELIVERY_ACCESS_INVALID,
        NOT_FOUND,
        RETURN_NOT_OFFERED,
        RETURN_BEGUN,
        RETURN_REFUSED,
        NO_FREE_BOX,
    ),
)
async def create_delivery_return(call: Call, request: CreateDeliveryReturn) -> BegunReturn:
    """Start a return of your delivery.

    Reserves a compartment in a locker, or arranges a pickup by a driver. Each parcel can be returned once. The code
    opens the compartment once. A return that isn't dropped off in time can be started again.
    """
    own, order = await open_access(call, request)
    row, code = await actions.begin(own, order, request)
    _record_actor(call, own, row)
    return BegunReturn(begun=await _shown(own, row), code=code)


@writes(
    "renew_return_code",
    audience=PUBLIC,
    replayable=False,
    interfaces=(Rest("POST", f"{RECIPIENTS_PATH}/code"), GraphQL("renewReturnCode")),
    limits=RETURN_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND, RETURN_UNDER_WAY),
)
async def renew_return_code(call: Call, request: DeliveryAccess) -> BegunReturn:
    """Issue a new code for your return.

    It opens the reserved compartment. The previous code stops working.
    """
    own, row = await _own_return(call, request)
    code = await actions.renew_code(own, row)
    return BegunReturn(begun=await _shown(own, row), code=code)


@writes(
    "cancel_return",
    audience=PUBLIC,
    interfaces=(Rest("POST", f"{RECIPIENTS_PATH}/cancel"), GraphQL("cancelReturn")),
    limits=RETURN_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND, RETURN_UNDER_WAY),
)
async def cancel_return(call: Call, request: DeliveryAccess) -> DeliveryReturnAnswer:
    """Cancel a return of your delivery.

    A return can be cancelled until the parcel is handed in. Its compartment is released.
    """
    own, row = await _own_return(call, request)
    cancelled = await actions.cancel(own, row)
    return DeliveryReturnAnswer(begun=await _shown(own, cancelled), offer=None)


async def _own_return(call: Call, request: DeliveryAccess) -> tuple[Call, RecipientReturnRow]:
    own, order = await open_access(call, request)
    row = await find_newest_return(own, order.id)
    if row is None:
        raise NOT_FOUND()
    _record_actor(call, own, row)
    return own, row


def _record_actor(call: Call, own: Call, row: RecipientReturnRow) -> None:
    """Record the recipient as the actor in the audit trail of the business."""
    call.signed_in_as = SignedInActor(own.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", row.order_id, row.return_order_id)


async def _shown(own: Call, row: RecipientReturnRow) -> DeliveryReturn:
    return await delivery_return(own, row, await store.get_settings_row(own.work))


SETTINGS_PATH = "/v1/client/return-settings"


@reads(
    "get_return_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", SETTINGS_PATH, area=Area.RETURN_REASONS), GraphQL("returnSettings")),
)
async def get_return_settings(call: Call, request: EmptyRequest) -> ReturnSettingsAnswer:
    """Retrieve the settings for recipient returns.

    The return period, methods and reasons on the tracking page.
    """
    row = await store.get_settings_row(call.work)
    return ReturnSettingsAnswer(return_settings=settings_record(row) if row else None)


@writes(
    "set_return_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SETTINGS_PATH, area=Area.RETURN_REASONS), GraphQL("setReturnSettings")),
)
async def set_return_settings(call: Call, request: SetReturnSettings) -> ReturnSettingsAnswer:
    """Update the settings for recipient returns.

    Turns returns on the tracking page on or off. Returns in progress continue.
    """
    await store.upsert_settings(call.work, **request.model_dump(mode="json"), changed_at=call.now)
    call.add_audit_subjects("client", call.client_id)
    row = await store.get_settings_row(call.work)
    return ReturnSettingsAnswer(return_settings=settings_record(row) if row else None)
