"""Addresses: list, show, create, change, delete, export."""

from base64 import b64encode

from haulier.contexts.places.address_book import actions, store
from haulier.contexts.places.address_book.actions import ADDRESS_REFERENCE_TAKEN, book_mark
from haulier.contexts.places.address_book.contract import (
    MAX_EXPORTED,
    AddressAnswer,
    AddressExport,
    AddressList,
    AddressRef,
    CreateAddress,
    DefaultSender,
    ExportAddresses,
    ListAddresses,
    UpdateAddress,
)
from haulier.contexts.places.address_book.queries import book_of, readable_book
from haulier.contexts.places.address_book.serializers import (
    address_detail,
    address_record,
    addresses_csv,
    addresses_xlsx,
    warning_records,
)
from haulier.contexts.places.events import AddressChanged
from haulier.contexts.places.geocoding.rules.words import query_words
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import owner_prefix, spelled
from haulier.kernel.operations.answers import Done
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
from haulier.kernel.operations.errors import NOT_FOUND, declare_error, record_not_found
from haulier.kernel.values.pagination import total_fields
from haulier.kernel.values.xlsx import XLSX_TYPE

KEEPERS = OFFICE | {Account.CUSTOMER}
"""Accounts that manage addresses: staff for all, and customers for their own."""
EXPORT_TOO_LARGE = declare_error("address_export_too_large", 409)
EXPORTS = Representations(
    (Representation("text/csv", "csv"), Representation(XLSX_TYPE, "xlsx")),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "list_addresses",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/addresses"), GraphQL("addresses")),
)
async def list_addresses(call: Call, request: ListAddresses) -> AddressList:
    """List the address book, by name.

    Can be searched by words. Customers see their own addresses. Staff see all.
    """
    filters = request.model_dump(include={"country", "city", "located"})
    filters["customer_id"] = book = readable_book(call, request.customer_id)
    if request.search:
        words = query_words(request.search)
        mark = [[book_mark(call.client_id, book)]] if book else []
        filters["query"] = [*spelled(words, owner_prefix(call.client_id), whole=0), *mark]
        if not words:
            return AddressList(total=0, page=request.page, per_page=request.per_page, addresses=[])
    rows, total = await store.list_address_page(call.work, filters, limit=request.per_page, offset=request.offset)
    records = [address_record(call, row) for row in rows]
    return AddressList(page=request.page, per_page=request.per_page, addresses=records, **total_fields(total))


@reads(
    "get_address",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/addresses/{address_id}"), GraphQL("address")),
)
async def get_address(call: Call, request: AddressRef) -> AddressAnswer:
    """Get an address.

    Includes its gate code and its postal format. Customers see their own.
    """
    return await answer_address(call, request.address_id)


@reads(
    "get_default_sender",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/addresses/default-sender"), GraphQL("defaultSender")),
)
async def get_default_sender(call: Call, request: EmptyRequest) -> DefaultSender:
    """Get the default sender address.

    Used when an order names no sender. For customers, returns their own.
    """
    book = book_of(call)
    row = (await store.get_default_sender_rows(call.work, [book])).get(book)
    return DefaultSender(address=address_detail(call, row) if row else None)


@writes(
    "create_address",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.LOW,
    errors=(ADDRESS_REFERENCE_TAKEN,),
    interfaces=(Rest("POST", "/v1/addresses"), GraphQL("createAddress")),
)
async def create_address(call: Call, request: CreateAddress) -> AddressAnswer:
    """Add an address to the address book.

    Customers add to their own. The answer includes warnings and a likely duplicate.
    """
    (address_id,) = await actions.create_addresses(call, [request])
    call.add_audit_subjects("address", address_id)
    await call.publish(AddressChanged(address_id=address_id, change="created"))
    return await answer_address(call, address_id)


@writes(
    "update_address",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, ADDRESS_REFERENCE_TAKEN),
    interfaces=(Rest("PATCH", "/v1/addresses/{address_id}"), GraphQL("updateAddress")),
)
async def update_address(call: Call, request: UpdateAddress) -> AddressAnswer:
    """Update an address.

    Omitted fields are unchanged. Existing orders keep their address.
    """
    row = await load_address(call, request.address_id, lock=True)
    changes = request.model_dump(exclude={"address_id"}, exclude_unset=True)
    await actions.change_address(call, row, changes)
    call.add_audit_subjects("address", row.id)
    await call.publish(AddressChanged(address_id=row.id, change="changed"))
    return await answer_address(call, row.id)


@writes(
    "delete_address",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", "/v1/addresses/{address_id}"), GraphQL("deleteAddress")),
)
async def delete_address(call: Call, request: AddressRef) -> Done:
    """Delete an address from the address book.

    Existing orders keep their address.
    """
    row = await load_address(call, request.address_id, lock=True)
    await store.delete_addresses(call.work, [row.id], call.now)
    call.add_audit_subjects("address", row.id)
    await call.publish(AddressChanged(address_id=row.id, change="removed"))
    return Done(message=call.translate("address_deleted"))


@reads(
    "export_addresses",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    errors=(EXPORT_TOO_LARGE,),
    interfaces=(Rest("GET", "/v1/addresses/export", representations=EXPORTS), GraphQL("addressesExport")),
)
async def export_addresses(call: Call, request: ExportAddresses) -> AddressExport:
    """Export the address book as CSV or XLSX.

    The columns match those of an import. Gate codes are not included.
    """
    filters = request.model_dump(include={"country", "city"})
    rows = await store.list_addresses_after(call.work, filters, after=0, limit=MAX_EXPORTED + 1)
    if len(rows) > MAX_EXPORTED:
        raise EXPORT_TOO_LARGE(most=MAX_EXPORTED)
    media_type = XLSX_TYPE if request.format == "xlsx" else "text/csv"
    document = addresses_xlsx(rows) if request.format == "xlsx" else addresses_csv(rows).encode()
    return AddressExport(total=len(rows), document=b64encode(document).decode(), media_type=media_type)


async def load_address(call: Call, address_id: int, *, lock: bool = False) -> store.AddressRow:
    """An address of the book. Raises `NOT_FOUND`."""
    rows = await store.get_address_rows(call.work, [address_id], book=readable_book(call), lock=lock)
    if address_id not in rows:
        raise record_not_found(address_id=address_id)
    return rows[address_id]


async def answer_address(call: Call, address_id: int) -> AddressAnswer:
    """A current address with its warnings."""
    row = await load_address(call, address_id)
    twins = await store.list_addresses_at_places(call.work, [row.place_key], row.customer_id)
    return AddressAnswer(address=address_detail(call, row), warnings=warning_records(call, row, twins))
