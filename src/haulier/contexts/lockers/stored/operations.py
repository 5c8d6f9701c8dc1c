"""Operation to list items stored in lockers."""

from collections.abc import Iterable
from datetime import timedelta

from haulier.contexts.lockers.devices.queries import DeviceCommandRow, list_commands_of_parcels
from haulier.contexts.lockers.parcels.actions.steps import fee_due_minor
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, list_parcels
from haulier.contexts.lockers.parcels.rules import PROFILES, LockerStatus, ParcelKind, status_code
from haulier.contexts.lockers.stored.contract import (
    ListLockerStorage,
    LockerAccess,
    LockerStorageItem,
    LockerStorageList,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

FILTERS = {"site_id", "status", "order_id", "customer_id"}


@reads(
    "otep_client_locker_storage",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", "/v1/otep/client/locker-storage"),
        GraphQL("lockerStorage"),
        Mcp("otep_client_locker_storage", title="List items stored in lockers"),
    ),
)
async def otep_client_locker_storage(call: Call, request: ListLockerStorage) -> LockerStorageList:
    """List items stored in lockers, newest first.

    Includes door openings. Customers see their own.
    """
    wanted = request.model_dump(include=FILTERS, exclude_none=True)
    if request.locker_parcel_id is not None:
        wanted["id"] = request.locker_parcel_id
    due = call.now + timedelta(hours=request.expiring_hours) if request.expiring_hours else None
    if call.principal.account is Account.CUSTOMER:
        if wanted.get("customer_id", call.actor) != call.actor:
            return LockerStorageList(total=0, page=request.page, per_page=request.per_page, items=[])
        wanted["customer_id"] = call.actor
    rows, counted = await list_parcels(call, wanted, due_before=due, limit=request.per_page, offset=request.offset)
    opened = await list_commands_of_parcels(call, [row.id for row in rows])
    return LockerStorageList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        items=[_item(call, row, opened[row.id]) for row in rows],
    )


def _item(call: Call, row: LockerParcelRow, opened: Iterable[DeviceCommandRow]) -> LockerStorageItem:
    code = status_code(row.kind, LockerStatus(row.status))
    return record(
        LockerStorageItem,
        row,
        locker_parcel_id=row.id,
        status_code=f"otep:{PROFILES[ParcelKind(row.kind)]}:{code}" if code else None,
        since=call.local_time(row.deposited_at),
        until=call.local_time(row.until),
        left_at=call.local_time(row.ended_at),
        fee_due_minor=fee_due_minor(row, call.now),
        access_history=[
            LockerAccess(at=call.local_time(each.created_at), purpose=each.purpose, outcome=each.status)
            for each in opened
        ],
    )
