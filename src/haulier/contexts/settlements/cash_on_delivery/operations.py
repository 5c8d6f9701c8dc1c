"""Operations on cash on delivery."""

from base64 import b64encode
from typing import Any

from msgspec import UNSET

from haulier.contexts.fleet.public import get_driver_rows, get_visible_driver
from haulier.contexts.settlements.cash_on_delivery import actions, store
from haulier.contexts.settlements.cash_on_delivery.contract import (
    CodEntryAnswer,
    CodEntryList,
    CodGrouping,
    CodPeriod,
    CodReport,
    DriverCashList,
    GetCodReport,
    HandedInCash,
    HandInCash,
    ListCodEntries,
    RecordCodPayment,
    ReverseCodEntry,
    WriteOffCod,
)
from haulier.contexts.settlements.cash_on_delivery.queries import get_cod_position, list_driver_cash, load_driver_cash
from haulier.contexts.settlements.cash_on_delivery.rules import (
    COD_NOT_REVERSIBLE,
    COD_NOTHING_OPEN,
    COD_TOO_MUCH,
    HAND_IN_NEEDS_REASON,
)
from haulier.contexts.settlements.cash_on_delivery.serializers import (
    cod_amounts,
    cod_entries_csv,
    cod_entry_record,
    cod_report_line,
)
from haulier.contexts.settlements.cash_on_delivery.store import CodEntryRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Representation,
    Representations,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.wanted_values import PRESENT

ORDER_PATH = "/v1/cod/orders/{order_id}"


@writes(
    "hand_in_cash",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, HAND_IN_NEEDS_REASON),
    interfaces=(Rest("POST", "/v1/cod/hand-ins"), GraphQL("handInCash")),
)
async def hand_in_cash(call: Call, request: HandInCash) -> HandedInCash:
    """Record cash that a driver hands in.

    A surplus or shortage against the driver's balance is recorded as a difference with its reason. The balance is
    then zero.
    """
    driver = await get_visible_driver(call, request.driver_id)
    expected, counted = await actions.hand_in_cash(
        call, driver, request.counted_minor, settles=request.settles, reason=request.reason
    )
    return HandedInCash(
        expected_minor=expected,
        counted_minor=request.counted_minor,
        difference_minor=counted.difference,
        cash=await load_driver_cash(call, driver),
    )


@writes(
    "record_cod_payment",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, COD_NOTHING_OPEN, COD_TOO_MUCH),
    interfaces=(Rest("POST", f"{ORDER_PATH}/payments"), GraphQL("recordCodPayment")),
    available_when={"cod_minor": PRESENT},
)
async def record_cod_payment(call: Call, request: RecordCodPayment) -> CodEntryAnswer:
    """Record a direct payment for an order.

    Use this for money that the office received itself, such as a bank transfer on the following day. The order must
    have an open amount.
    """
    entry_id = await actions.record_office_payment(
        call, request.order_id, request.method, request.amount_minor, request.reason
    )
    return await _entry_answer(call, entry_id)


@writes(
    "write_off_cod",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, COD_NOTHING_OPEN, COD_TOO_MUCH),
    interfaces=(Rest("POST", f"{ORDER_PATH}/write-off"), GraphQL("writeOffCod")),
    available_when={"cod_minor": PRESENT},
)
async def write_off_cod(call: Call, request: WriteOffCod) -> CodEntryAnswer:
    """Write off an order's open amount.

    Writes off all or part of the amount. The written-off part is no longer collected.
    """
    return await _entry_answer(
        call, await actions.write_off_cod(call, request.order_id, request.amount_minor, request.reason)
    )


@writes(
    "reverse_cod_entry",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, COD_NOT_REVERSIBLE),
    interfaces=(Rest("POST", "/v1/cod/entries/{entry_id}/reverse"), GraphQL("reverseCodEntry")),
)
async def reverse_cod_entry(call: Call, request: ReverseCodEntry) -> CodEntryAnswer:
    """Reverse a wrong cash-on-delivery entry.

    Adds an entry with the opposite amount. Both entries remain in the list. Amounts due cannot be reversed.
    """
    return await _entry_answer(call, await actions.reverse_cod_entry(call, request.entry_id, request.reason))


async def _entry_answer(call: Call, entry_id: int) -> CodEntryAnswer:
    row = await CodEntryRow.get(call.work, entry_id)
    assert row is not None
    position = await get_cod_position(call, row.order_id) if row.order_id is not None else None
    return CodEntryAnswer(entry=cod_entry_record(call, row), open_minor=position.open if position else None)


CSV = Representations((Representation("text/csv", "csv"),), data_field="document", media_type_field="media_type")
READERS = OFFICE | {Account.CONTRACTOR, Account.CUSTOMER}
GROUPING_COLUMNS = {CodGrouping.DRIVER: "driver_id", CodGrouping.DAY: "day", CodGrouping.ORDER: "order_id"}


@reads(
    "get_cod_report",
    replica=True,
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/cod/report"), GraphQL("codReport")),
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
    interfaces=(Rest("GET", "/v1/cod/entries", representations=CSV), GraphQL("codEntries")),
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
    interfaces=(Rest("GET", "/v1/cod/drivers"), GraphQL("driverCash")),
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
