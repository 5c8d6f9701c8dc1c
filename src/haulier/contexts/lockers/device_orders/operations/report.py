"""Report on device orders."""

from haulier.contexts.lockers.device_orders.contract.report import (
    DeviceOrderReport,
    DeviceOrderSums,
    DeviceRefundSums,
    GetDeviceOrderReport,
)
from haulier.contexts.lockers.device_orders.store import sums as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.records import record

REPORT_DAYS_MAX = 366


@reads(
    "get_device_order_report",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    doors=(Rest("GET", "/v1/device-order-report"), GraphQL("deviceOrderReport")),
)
async def get_device_order_report(call: Call, request: GetDeviceOrderReport) -> DeviceOrderReport:
    """Summarize payments for device orders by day.

    Groups the orders paid in a period by product or customer, including cancellations, returns and refunds.
    """
    if not 0 <= (request.last_day - request.first_day).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("last_day", "field.shop_days"))
    begins, ends = call.span_of_days(request.first_day, request.last_day)
    rows = await store.list_device_order_sums(call.work, request.by, begins, ends, most=request.limit)
    refunds = await store.list_device_refunds(call.work, begins, ends)
    return DeviceOrderReport(
        groups=[record(DeviceOrderSums, row) for row in rows],
        refunded=[record(DeviceRefundSums, row) for row in refunds],
    )
