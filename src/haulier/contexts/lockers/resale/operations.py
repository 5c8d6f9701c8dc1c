"""Operations on locker rentals."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.resale.actions import leases as actions
from haulier.contexts.lockers.resale.contract.leases import (
    ExtendLockerLease,
    ListLockerLeases,
    LockerLeaseAnswer,
    LockerLeaseList,
    LockerLeaseRef,
    LockerLeaseWithReason,
    ReserveLockerLease,
)
from haulier.contexts.lockers.resale.contract.offers import LEASES
from haulier.contexts.lockers.resale.queries import get_visible_lease
from haulier.contexts.lockers.resale.rules import (
    LEASE_LIFE,
    LEASE_STEP_REFUSED,
    LEASE_TERMS_REFUSED,
    LEASE_WITHDRAWAL_OVER,
    LOCKER_OFFER_CLOSED,
    LOCKER_OFFER_SOLD_OUT,
    LeaseStep,
)
from haulier.contexts.lockers.resale.serializers import lease_detail, lease_summary
from haulier.contexts.lockers.resale.store import leases as store
from haulier.contexts.lockers.resale.store.tables import LockerLeaseRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/locker-leases"
LEASE_PATH = f"{PATH}/{{locker_lease_id}}"
BUYERS = OFFICE | {Account.CUSTOMER}


@writes(
    "reserve_locker_lease",
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PATH), GraphQL("reserveLockerLease")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER, LOCKER_OFFER_CLOSED, LEASE_TERMS_REFUSED, LOCKER_OFFER_SOLD_OUT),
)
async def reserve_locker_lease(call: Call, request: ReserveLockerLease) -> LockerLeaseAnswer:
    """Reserve compartments of a rental offer.

    Reserves all requested compartments or none. The reservation expires unless it is paid in time.
    """
    return _answer(call, await actions.reserve_lease(call, request))


@writes(
    "pay_locker_lease",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.PAY)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{LEASE_PATH}/pay"), GraphQL("payLockerLease")),
    errors=(NOT_FOUND, PRICE_HIDDEN, LEASE_STEP_REFUSED, CREDIT_INSUFFICIENT),
)
async def pay_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Pay a reserved locker rental.

    The price is charged to the customer's credit, and the term starts. Staff pay for customers who can't see prices.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    require_price_visible(call.principal.hidden_prices, LEASES)
    return _answer(call, await actions.pay_lease(call, row))


@writes(
    "extend_locker_lease",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.EXTEND)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{LEASE_PATH}/extend"), GraphQL("extendLockerLease")),
    errors=(
        NOT_FOUND,
        PRICE_HIDDEN,
        LEASE_STEP_REFUSED,
        LOCKER_OFFER_CLOSED,
        LEASE_TERMS_REFUSED,
        CREDIT_INSUFFICIENT,
    ),
)
async def extend_locker_lease(call: Call, request: ExtendLockerLease) -> LockerLeaseAnswer:
    """Extend a locker rental.

    The extra days are priced by the current offer and charged to the customer's credit immediately.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    require_price_visible(call.principal.hidden_prices, LEASES)
    return _answer(call, await actions.extend_lease(call, row, request.days))


@writes(
    "cancel_locker_lease",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{LEASE_PATH}/cancel"), GraphQL("cancelLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED, LEASE_WITHDRAWAL_OVER),
)
async def cancel_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Cancel a locker rental.

    Unpaid reservations can always be cancelled. Paid rentals can be cancelled for a limited time if unused, with a full
    refund.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _answer(call, await actions.cancel_lease(call, row))


@writes(
    "suspend_locker_lease",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.SUSPEND)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{LEASE_PATH}/suspend"), GraphQL("suspendLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED),
)
async def suspend_locker_lease(call: Call, request: LockerLeaseWithReason) -> LockerLeaseAnswer:
    """Suspend a locker rental.

    Nothing more can be deposited. Parcels can still be retrieved, and the term continues.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _answer(call, await actions.suspend_lease(call, row, request.reason))


@writes(
    "resume_locker_lease",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.RESUME)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{LEASE_PATH}/resume"), GraphQL("resumeLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED),
)
async def resume_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Resume a suspended locker rental.

    Parcels can be deposited again.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _answer(call, await actions.resume_lease(call, row))


@writes(
    "revoke_locker_lease",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.REVOKE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{LEASE_PATH}/revoke"), GraphQL("revokeLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED),
)
async def revoke_locker_lease(call: Call, request: LockerLeaseWithReason) -> LockerLeaseAnswer:
    """Revoke a locker rental early.

    The days that have not started are refunded. Parcels in the compartments can still be retrieved.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _answer(call, await actions.revoke_lease(call, row, request.reason))


@reads(
    "get_locker_lease",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", LEASE_PATH), GraphQL("lockerLease")),
    errors=(NOT_FOUND,),
)
async def get_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Retrieve a locker rental.

    Includes the term, payments and refunds.
    """
    return _answer(call, await get_visible_lease(call, request.locker_lease_id))


@reads(
    "list_locker_leases",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("lockerLeases")),
)
async def list_locker_leases(call: Call, request: ListLockerLeases) -> LockerLeaseList:
    """List locker rentals, newest first.

    Customers see only their own.
    """
    wanted = request.model_dump(include={"status", "site_id", "customer_id", "lease_ref"}, exclude_none=True)
    if request.locker_offer_id is not None:
        wanted["offer_id"] = request.locker_offer_id
    if is_customer(call):
        wanted["customer_id"] = call.actor or 0
    rows, counted = await store.list_lease_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return LockerLeaseList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        leases=[lease_summary(call, row) for row in rows],
    )


def _answer(call: Call, row: LockerLeaseRow) -> LockerLeaseAnswer:
    return LockerLeaseAnswer(lease=lease_detail(call, row))
