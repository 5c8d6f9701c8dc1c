"""Reports of cash on delivery and of drivers' cash."""

from base64 import b64encode
from typing import Any

from msgspec import UNSET

from haulier.contexts.fleet.public import get_driver_rows
from haulier.contexts.settlements.cash_on_delivery import store
from haulier.contexts.settlements.cash_on_delivery.contract import (
    CodEntryList,
    CodGrouping,
    CodPeriod,
    CodReport,
    DriverCashList,
    GetCodReport,
    ListCodEntries,
)
from haulier.contexts.settlements.cash_on_delivery.queries.positions import list_driver_cash
from haulier.contexts.settlements.cash_on_delivery.serializers import (
    cod_amounts,
    cod_entries_csv,
    cod_entry_record,
    cod_report_line,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Representation,
    Representations,
    Rest,
    reads,
)
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
READERS = OFFICE | {Account.CONTRACTOR, Account.CUSTOMER}
GROUPING_COLUMNS = {CodGrouping.DRIVER: "driver_id", CodGrouping.DAY: "day", CodGrouping.ORDER: "order_id"}


@reads(
    "get_cod_report",
    replica=True,
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/cod/report"), GraphQL("codReport")),
)
async def get_cod_report(call: Call, request: GetCodReport) -> CodReport:
    """Get the cash-on-delivery report.

    Shows amounts by driver, day or order: due = collected + open + written off. Driver, day and period refer to the
    delivery. Customers see their own orders. Contractors see the orders they delivered.
    """
    by, filters = request.group_by, _filters(call, request)
    if by is CodGrouping.DRIVER and call.principal.account is Account.CUSTOMER:
        raise INVALID_REQUEST.for_fields(FieldError("group_by", "field.cod_driver_not_told"))
    total, rows, whole = await store.list_cod_lines(
        call.work, filters, GROUPING_COLUMNS[by], limit=request.per_page, offset=request.offset
    )
    told = call.principal.account is not Account.CUSTOMER
    drivers = await get_driver_rows(call, {row.driver_id for row in rows if row.driver_id}) if told else {}
    lines = [cod_report_line(row, drivers) for row in rows]
    if not told:
        for line in lines:
            line.driver_id = None
    return CodReport(
        total=total,
        page=request.page,
        per_page=request.per_page,
        cod_currency=call.business.currency,
        lines=lines,
        sum=cod_amounts(whole),
    )


@reads(
    "list_cod_entries",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/cod/entries", representations=CSV), GraphQL("codEntries")),
)
async def list_cod_entries(call: Call, request: ListCodEntries) -> CodEntryList:
    """List cash-on-delivery entries.

    Entries are returned oldest first, optionally as CSV. An entry is never changed, only reversed by another one.
    Customers see entries about their own orders. Contractors see entries about orders they delivered and cash they
    handed in.
    """
    total, rows = await store.list_cod_entries_page(
        call.work, _filters(call, request), limit=request.per_page, offset=request.offset
    )
    entries = [cod_entry_record(call, row) for row in rows]
    return CodEntryList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        entries=entries,
        document=b64encode(cod_entries_csv(entries).encode()).decode() if request.format else UNSET,
    )


@reads(
    "list_driver_cash",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/cod/drivers"), GraphQL("driverCash")),
)
async def list_cash_of_drivers(call: Call, request: EmptyRequest) -> DriverCashList:
    """List the cash that each driver carries.

    Contractors see their own drivers.
    """
    found = await list_driver_cash(call)
    if call.principal.account is Account.CONTRACTOR:
        drivers = await get_driver_rows(call, [cash.driver_id for cash in found])
        found = [cash for cash in found if drivers[cash.driver_id].contractor_id == call.actor]
    return DriverCashList(drivers=found)


def _filters(call: Call, request: CodPeriod) -> dict[str, Any]:
    account = call.principal.account
    return {
        "since": request.date_from,
        "until": request.date_to,
        "driver": None if account is Account.CUSTOMER else request.driver_id,
        "order": request.order_id,
        "contractor": call.actor if account is Account.CONTRACTOR else None,
        "customer": call.actor if account is Account.CUSTOMER else None,
    }
