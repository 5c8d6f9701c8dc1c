"""Check a file of orders, and import it."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from haulier.contexts.orders.batches.actions import start_order_batch
from haulier.contexts.orders.batches.contract import OrderBatchStarted, OrderFieldError, OrderRow
from haulier.contexts.orders.batches.operations import BATCH_CREATORS
from haulier.contexts.orders.batches.serializers import row_reference
from haulier.contexts.orders.delivery_orders.actions.create import check_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.rules.warnings import OrderWarningCode, WarningFacts
from haulier.contexts.orders.delivery_orders.serializers import load_warning_facts, order_warnings
from haulier.contexts.orders.order_imports.contract import (
    FAULTS_SHOWN,
    MAX_FILE_BYTES,
    MAX_FILE_ORDERS,
    MAX_FILE_TEXT,
    ORDERS_SHOWN,
    OrderFile,
    OrderFileCheck,
    OrderFileColumn,
    OrderFileFault,
    OrderFileRow,
    OrderFileWarning,
)
from haulier.contexts.orders.order_imports.rules import (
    NEEDED,
    OWN_FIELD,
    FileOrder,
    OrderDraft,
    ProfileReader,
    RowDefaults,
    find_profile,
    group_rows,
    match_order_columns,
    order_draft,
    with_item_columns,
)
from haulier.contexts.places.public import ADDRESS_COLUMN_NAMES
from haulier.kernel.call import Call
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.error_rendering import render_field_error
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.operations.stored_errors import error_document, render_stored_error
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.table_files import ReadTable, TableQuestion, read_table_file

NO_COORDINATES = OrderWarningCode.NO_COORDINATES.upper()


class _ReadOrderFile(NamedTuple):
    """A file read before the transaction: header, field of each column, and orders.

    Or its error.
    """

    header: Sequence[str] = ()
    columns: dict[int, str] = {}
    orders: Sequence[FileOrder] = ()
    encoding: str | None = None
    profile: str | None = None
    error: OperationError | None = None


class _RefusedRow(NamedTuple):
    """A row that would be refused, and why."""

    row: OrderRow
    error: OperationError


async def _read_before(context: RequestContext, request: OrderFile) -> _ReadOrderFile:
    """A large file takes a while to read, which must not hold the database's writer."""
    file = await unpack_upload(request)
    document = file.content
    try:
        if len(document) > MAX_FILE_BYTES:
            return _unreadable("document", "field.table_too_long", most=MAX_FILE_ORDERS)
        hints = text_hints(context, file.encoding, country=request.country)
        question = TableQuestion(request.format, MAX_FILE_ORDERS, hints)
        table = await read_foreign_file(context.app, read_table_file, document, question, field="document")
        if table.rows.total > MAX_FILE_ORDERS:
            return _unreadable("document", "field.table_too_long", most=MAX_FILE_ORDERS)
        return _orders_in(request, table)
    except ValueError:  # an `UnreadableTable`
        return _unreadable("document", "field.unreadable_table")
    except KeyError as missing:
        return _unreadable("mapping", "field.no_such_column", column=str(missing.args[0]))


def _orders_in(request: OrderFile, table: ReadTable) -> _ReadOrderFile:
    """The orders of a table. Raises `KeyError` with a mapped column that is missing."""
    columns = match_order_columns(table.header, request.mapping, ADDRESS_COLUMN_NAMES)
    rows = list(table.rows)
    profile = find_profile(table.header) if request.detect_profile else None
    if profile is None:
        columns = with_item_columns(columns, request.mapping)
        orders = list(group_rows([{field: row[at] for field, at in columns.items()} for row in rows]))
        return _ReadOrderFile(table.header, {at: field for field, at in columns.items()}, orders, table.encoding)
    given = {field: at for field, at in columns.items() if field in request.mapping or field.startswith(OWN_FIELD)}
    mapped = {**dict.fromkeys(field for field, column in request.mapping.items() if column is None), **given}
    reader = ProfileReader(profile, table.header, mapped)
    orders = list(reader.orders(rows))
    return _ReadOrderFile(table.header, reader.columns(), orders, table.encoding, profile.title)


def _unreadable(field: str, code: str, **params: Any) -> _ReadOrderFile:
    return _ReadOrderFile(error=INVALID_REQUEST.for_fields(FieldError(field, code, params)))


@reads(
    "check_order_file",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    body_limit_bytes=MAX_FILE_TEXT + 100_000,
    prepare=_read_before,
    interfaces=(Rest("POST", "/v1/order-imports/check"), GraphQL("checkOrderFile")),
)
async def check_order_file(call: Call, request: OrderFile) -> OrderFileCheck:
    """Preview an order import.

    Returns the field of each column in a CSV or XLSX file, and the rows that would be refused with their reasons.
    Nothing is stored. `import_orders` takes the same request.
    """
    file = _require_file(call)
    drafts = _drafts_of(call, request, file)
    rows = await _check_rows(call, [_read_draft(draft) for draft in drafts])
    numbered = [(order.number, row) for order, row in zip(file.orders, rows, strict=True)]
    faults = [(number, row) for number, row in numbered if not isinstance(row, CreateOrder)]
    orders = [(number, row) for number, row in numbered if isinstance(row, CreateOrder)]
    facts = await load_warning_facts(call, [order for _, order in orders])
    shown = _shown_warnings(call, file, drafts)
    return OrderFileCheck(
        result=bool(orders),
        total=len(rows),
        faulty=len(faults),
        encoding=file.encoding,
        profile=file.profile,
        columns=[OrderFileColumn(name=name, field=file.columns.get(at)) for at, name in enumerate(file.header)],
        missing=_missing(request, file),
        orders=[_shown_order(number, order) for number, order in orders[:ORDERS_SHOWN]],
        faults=[_shown_fault(call, number, row) for number, row in faults[:FAULTS_SHOWN]],
        warnings=[*shown, *islice(_odd_rows(call, orders, facts), FAULTS_SHOWN - len(shown))],
    )


def _odd_rows(call: Call, orders: Sequence[tuple[int, CreateOrder]], facts: WarningFacts) -> Iterator[OrderFileWarning]:
    """Yield the rows with warnings.

    Missing coordinates do not count: imported orders are located afterwards.
    """
    for number, order in orders:
        for each in order_warnings(call, order, facts):
            if each.code != NO_COORDINATES:
                yield OrderFileWarning(number=number, field=each.field, code=each.code, message=each.message)


@writes(
    "import_orders",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=MAX_FILE_TEXT + 100_000,
    prepare=_read_before,
    interfaces=(Rest("POST", "/v1/order-imports"), GraphQL("importOrders")),
)
async def import_orders(call: Call, request: OrderFile) -> OrderBatchStarted:
    """Import orders from a CSV or XLSX file.

    Creates an order for each row in the background, up to 5,000. Refused rows do not affect the others.

    The rows become a batch: `get_async_batch_result` returns the outcome of each. The index of an outcome is the row
    number minus one; with an import profile, it counts orders. A row with an existing `order_ref` creates nothing, so a
    corrected file can be imported again.
    """
    file = _require_file(call)
    if missing := _missing(request, file):
        raise INVALID_REQUEST.for_fields(
            FieldError("mapping", "field.columns_missing", {"columns": ", ".join(missing)})
        )
    return await start_order_batch(call, [_read_draft(draft) for draft in _drafts_of(call, request, file)])


def _require_file(call: Call) -> _ReadOrderFile:
    """The file, once it can be read and has a row."""
    file: _ReadOrderFile = call.prepared
    if file.error:
        raise file.error
    if not file.orders:
        raise INVALID_REQUEST.for_fields(FieldError("document", "field.unreadable_table"))
    return file


def _missing(request: OrderFile, file: _ReadOrderFile) -> list[str]:
    """Return the required fields that the file does not have."""
    held = {*file.columns.values()}
    return [field for field in NEEDED if field not in held and not (field == "country" and request.country)]


def _drafts_of(call: Call, request: OrderFile, file: _ReadOrderFile) -> list[OrderDraft]:
    defaults = RowDefaults(
        zone=call.time_zone,
        currency=call.business.currency,
        country=request.country,
        scheduled_date=request.scheduled_date,
        customer_id=request.customer_id,
    )
    return [order_draft(order, defaults) for order in file.orders]


def _read_draft(draft: OrderDraft) -> OrderRow:
    return with_row_errors(read_row(CreateOrder, draft.document), draft.errors)


def _shown_order(number: int, order: CreateOrder) -> OrderFileRow:
    place = order.consignee
    return OrderFileRow(
        number=number,
        order_ref=order.order_ref,
        name=place and place.name,
        address=place and place.address,
        city=place and place.city,
        scheduled_date=str(order.scheduled_date) if order.scheduled_date else None,
    )


async def _check_rows(call: Call, rows: Sequence[OrderRow]) -> list[CreateOrder | _RefusedRow]:
    """Apply the rules of creating orders to the rows, in import order."""
    errors = iter(await check_orders(call, [row for row in rows if isinstance(row, CreateOrder)]))
    return [
        _RefusedRow(row, INVALID_REQUEST.for_fields(*row.field_errors))
        if isinstance(row, MalformedRow)
        else _RefusedRow(row, error)
        if (error := next(errors))
        else row
        for row in rows
    ]


def _shown_fault(call: Call, number: int, refused: _RefusedRow) -> OrderFileFault:
    error = render_stored_error(error_document(refused.error), call.app.catalogues, call.language)
    return OrderFileFault(
        number=number,
        order_ref=row_reference(refused.row),
        code=error.code,
        message=error.message,
        errors=[OrderFieldError(**each) for each in error.fields],
    )


def _shown_warnings(call: Call, file: _ReadOrderFile, drafts: Sequence[OrderDraft]) -> list[OrderFileWarning]:
    numbered = zip(file.orders, drafts, strict=True)
    found = ((order.number, warning) for order, draft in numbered for warning in draft.warnings)
    return [
        OrderFileWarning(number=number, **render_field_error(warning, call.app.catalogues, call.language))
        for number, warning in islice(found, FAULTS_SHOWN)
    ]
