"""Reports on payments and use of locker rentals."""

from typing import Any

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.resale.contract.reports import (
    GetLeaseUsage,
    LeaseEntryList,
    LeaseUsage,
    LeaseUsageReport,
    ListLeaseEntries,
)
from haulier.contexts.lockers.resale.operations.leases import BUYERS
from haulier.contexts.lockers.resale.serializers import entry_record
from haulier.contexts.lockers.resale.store import leases as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

REPORT_DAYS_MAX = 366


@reads(
    "list_lease_entries",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/lease-entries"), GraphQL("leaseEntries")),
)
async def list_lease_entries(call: Call, request: ListLeaseEntries) -> LeaseEntryList:
    """List payments and refunds of locker rentals.

    Newest first. Filter by rental, offer or customer to get its statement.
    """
    wanted = _whose(call, request)
    if request.kind is not None:
        wanted["kind"] = request.kind
    if request.locker_lease_id is not None:
        wanted["lease_id"] = request.locker_lease_id
    days = (request.first_day, request.last_day)
    rows, counted = await store.list_entry_rows(call.work, wanted, days, limit=request.per_page, offset=request.offset)
    return LeaseEntryList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        entries=[entry_record(call, row) for row in rows],
    )


@reads(
    "get_lease_usage",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/lease-usage"), GraphQL("leaseUsage")),
)
async def get_lease_usage(call: Call, request: GetLeaseUsage) -> LeaseUsageReport:
    """Report on the use of locker rentals.

    Covers deposits in a period, occupied compartments now, payments and refunds.
    """
    if not 0 <= (request.last_day - request.first_day).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("last_day", "field.lease_days"))
    since, until = call.span_of_days(request.first_day, request.last_day)
    rows, counted = await store.list_leases_with_boxes(
        call.work, _whose(call, request), since, until, limit=request.per_page, offset=request.offset
    )
    ids = [row.id for row in rows]
    booked = await store.sum_entries(call.work, ids, request.first_day, request.last_day)
    parcels = await store.count_parcels(call.work, ids, since, until)
    return LeaseUsageReport(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        leases=[
            record(
                LeaseUsage,
                row,
                locker_lease_id=row.id,
                locker_offer_id=row.offer_id,
                parcels=put_in.parcels if (put_in := parcels.get(row.id)) else 0,
                in_boxes=put_in.in_boxes if put_in else 0,
                paid_amount=money.paid_minor if (money := booked.get(row.id)) else 0,
                refunded_amount=money.refunded_minor if money else 0,
            )
            for row in rows
        ],
    )


def _whose(call: Call, request: ListLeaseEntries | GetLeaseUsage) -> dict[str, Any]:
    wanted = request.model_dump(include={"customer_id"}, exclude_none=True)
    if request.locker_offer_id is not None:
        wanted["offer_id"] = request.locker_offer_id
    if is_customer(call):
        wanted["customer_id"] = call.actor or 0
    return wanted
