"""Writes of the address book for other families."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.places.address_book import store
from haulier.contexts.places.address_book.contract import CreateAddress
from haulier.contexts.places.address_book.queries import book_of
from haulier.contexts.places.address_book.rules import row_document
from haulier.contexts.places.geocoding.rules.formats import (
    normalize_postal_code,
    normalize_region,
    repair_address_cells,
)
from haulier.contexts.places.geocoding.rules.words import is_corrected, joined_code, name_key, place_key, search_words
from haulier.contexts.places.ports import Quality
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import owner_prefix
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict
from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.kernel.operations.records import columns
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.values.words import fold_words

ADDRESS_REFERENCE_TAKEN = declare_error("address_reference_taken", 409)


LOCATED_TOGETHER = 100
"""Addresses of one job: a geocoder that may be asked once a second takes as many seconds."""


class LocateAddresses(Struct, frozen=True):
    """The job of finding out where addresses of the book are."""

    address_ids: list[int]


class WrittenAddress(Struct, frozen=True):
    """Columns and search words of an address."""

    values: dict[str, Any]
    words: str


def compose_address(client_id: int, parts: Mapping[str, Any], book: int) -> WrittenAddress:
    """Return an address with its derived columns.

    `parts` are those of `CreateAddress`, optionally with more columns.
    """
    country = parts["country"]
    values = {name: value.strip() or None if isinstance(value, str) else value for name, value in parts.items()}
    values["postal_code"] = normalize_postal_code(country, values.get("postal_code"))
    values["region"] = normalize_region(country, values.get("region"))
    values["place_key"] = place_key(
        country, values["city"] or "", values["address"] or "", values["postal_code"], values.get("unit")
    )
    values["name_key"] = name_key(values["name"] or "")
    return WrittenAddress(values, book_words(client_id, values, book))


def book_words(client_id: int, values: Mapping[str, Any], book: int = store.OFFICE_BOOK) -> str:
    """Return the search words of an address, each prefixed with its owner."""
    texts = ("name", "company", "address", "unit", "city", "region", "postal_code", "email", "reference")
    words = search_words(
        [*(values.get(name) for name in texts), joined_code(values.get("postal_code"))], [values.get("phone")]
    )
    owner = owner_prefix(client_id)
    marks = [country_mark(client_id, str(values["country"])), *([book_mark(client_id, book)] if book else [])]
    return " ".join([f"{owner}{word}" for word in words] + marks)


def country_mark(client_id: int, country: str) -> str:
    """The word that all addresses of a country have."""
    return f"{owner_prefix(client_id)}_{country.lower()}"


def book_mark(client_id: int, customer_id: int) -> str:
    """The word that all addresses of a customer's own book have."""
    return f"{owner_prefix(client_id)}_c{customer_id}"


async def record_spellings(call: Call, addresses: Sequence[Mapping[str, Any]]) -> None:
    """Store the words of addresses in which typos are corrected.

    Those of names, streets and cities.
    """
    texts = [each.get(name) for each in addresses for name in ("name", "company", "address", "city")]
    words = {word for text in texts if text for word in fold_words(text)}
    await store.insert_words_of_address(call.work, {word for word in words if is_corrected(word)})


async def create_addresses(call: Call, requests: Sequence[CreateAddress]) -> list[int]:
    """Insert addresses in a constant number of statements, and return their ids.

    Raises `ADDRESS_REFERENCE_TAKEN`.
    """
    book = book_of(call)
    written = [compose_address(call.client_id, request.model_dump(), book) for request in requests]
    rows = [
        columns(
            store.addresses,
            each.values,
            customer_id=book,
            quality=Quality.PIN if each.values["lat"] is not None else None,
            created_at=call.now,
            updated_at=call.now,
        )
        for each in written
    ]
    await record_spellings(call, [each.values for each in written])
    if any(request.default_sender for request in requests):
        await store.clear_default_sender(call.work, book)
    try:
        async with call.savepoint():
            ids = await store.insert_addresses(call.work, rows, [each.words for each in written])
    except UniqueConflict as conflict:
        raise _refusal(conflict) from None
    await _request_location(call, [id for id, row in zip(ids, rows, strict=True) if row["lat"] is None])
    return ids


async def change_address(call: Call, row: store.AddressRow, changes: Mapping[str, Any]) -> None:
    """Change parts of an address.

    If the place changes without new coordinates, the old ones are removed. Raises `ADDRESS_REFERENCE_TAKEN`.
    """
    values, words = changed_values(call, row, changes)
    await record_spellings(call, [values])
    if values["default_sender"]:
        await store.clear_default_sender(call.work, row.customer_id, except_id=row.id)
    try:
        async with call.savepoint():
            await store.update_address(call.work, row.id, values, words)
    except UniqueConflict as conflict:
        raise _refusal(conflict) from None
    await _request_location(call, [row.id] if values["lat"] is None else [])


async def change_addresses(call: Call, changes: Sequence[tuple[store.AddressRow, Mapping[str, Any]]]) -> None:
    """Change parts of many addresses, in a constant number of statements."""
    if not changes:
        return
    written = [changed_values(call, row, change) for row, change in changes]
    rows = [{"id": row.id, **values} for (row, _), (values, _) in zip(changes, written, strict=True)]
    await record_spellings(call, rows)
    await store.update_addresses(call.work, rows, [words for _, words in written])
    await _request_location(call, [row["id"] for row in rows if row["lat"] is None])


PARTS = tuple(name for name in CreateAddress.model_fields)


def changed_values(call: Call, row: store.AddressRow, changes: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The columns of an address after a change, and its words."""
    parts = {name: getattr(row, name) for name in PARTS} | dict(changes)
    written = compose_address(call.client_id, parts, row.customer_id)
    values = {**written.values, "quality": row.quality, "updated_at": call.now}
    if "lat" in changes:
        values["quality"] = None if changes["lat"] is None else Quality.PIN
    elif values["place_key"] != row.place_key:
        values |= {"lat": None, "lng": None, "quality": None}
    return values, written.words


async def _request_location(call: Call, ids: Sequence[int]) -> None:
    for start in range(0, len(ids), LOCATED_TOGETHER):
        some = list(ids[start : start + LOCATED_TOGETHER])
        await call.enqueue("places.locate_addresses", LocateAddresses(some))


def _refusal(conflict: UniqueConflict) -> Exception:
    """Return the error of a conflict.

    If two calls set a default sender at once, the later one is retried and succeeds.
    """
    if "default_sender" in conflict.constraint:
        return TransactionRetry("another call changed the default sender")
    return ADDRESS_REFERENCE_TAKEN()


class AddressFileRow(Struct, frozen=True):
    """A row of a file: its number below the header, and its cells by field."""

    number: int
    cells: Mapping[str, str]


class _Outcome(Struct):
    number: int
    state: str
    reference: str | None = None
    address_id: int | None = None
    fault: Any = None
    """Errors of a refused row; of any other, the repairs to check."""


class _Plan(Struct):
    """Plan for some rows: new addresses by the index of their outcome, and changes."""

    outcomes: list[_Outcome]
    new: dict[int, CreateAddress] = {}
    changed: dict[int, tuple[store.AddressRow, dict[str, Any]]] = {}


async def import_rows(call: Call, rows: Sequence[AddressFileRow], *, check_only: bool) -> list[dict[str, Any]]:
    """Import rows into the book and return their outcomes.

    Uses a constant number of statements. A row with a known reference changes that address. A row without a reference
    is a duplicate if the book has its place and name. With `check_only` nothing is changed.
    """
    plan = await _plan_rows(call, rows)
    if not check_only:
        ids = await create_addresses(call, list(plan.new.values())) if plan.new else []
        for index, address_id in zip(plan.new, ids, strict=True):
            plan.outcomes[index].address_id = address_id
        await change_addresses(call, list(plan.changed.values()))
    return [msgspec.structs.asdict(outcome) for outcome in plan.outcomes]


async def _plan_rows(call: Call, rows: Sequence[AddressFileRow]) -> _Plan:
    repaired = [repair_address_cells(row.cells, codes={"reference"}) for row in rows]
    read = [with_row_errors(read_row(CreateAddress, row_document(each.cells)), each.errors) for each in repaired]
    own = book_of(call)
    good = [address for address in read if not isinstance(address, MalformedRow)]
    known = await store.get_addresses_by_reference(call.work, {one.reference for one in good if one.reference}, own)
    keys = [_keys(call, address) for address in good]
    at_places = await store.list_addresses_at_places(call.work, {place for place, _ in keys}, own)
    there: dict[tuple[str, str], int | None] = {(row.place_key, row.name_key): row.id for row in at_places}
    plan = _Plan([])
    references: set[str] = set()
    for row, address, repairs in zip(rows, read, repaired, strict=True):
        if isinstance(address, MalformedRow):
            plan.outcomes.append(_refused(row, address.field_errors))
        elif address.reference and address.reference in references:
            repeated = FieldError("reference", "field.repeated_in_file")
            plan.outcomes.append(_refused(row, [repeated]))
        else:
            _plan_row(call, plan, row, address, known, there)
            plan.outcomes[-1].fault = msgspec.to_builtins(list(repairs.warnings)) or None
            references |= {address.reference} if address.reference else set()
    return plan


def _plan_row(
    call: Call,
    plan: _Plan,
    row: AddressFileRow,
    address: CreateAddress,
    known: Mapping[str, store.AddressRow],
    there: dict[tuple[str, str], int | None],
) -> None:
    keys, index = _keys(call, address), len(plan.outcomes)
    before = known.get(address.reference) if address.reference else None
    if before:
        given = address.model_dump(include=set(row.cells) - {"default_sender"})
        values, _ = changed_values(call, before, given)
        same = all(getattr(before, name) == values[name] for name in given)
        plan.outcomes.append(_Outcome(row.number, "unchanged" if same else "updated", address.reference, before.id))
        plan.changed |= {} if same else {index: (before, given)}
    elif keys in there and not address.reference:
        plan.outcomes.append(_Outcome(row.number, "duplicate", address.reference, there[keys]))
    else:
        plan.outcomes.append(_Outcome(row.number, "created", address.reference))
        plan.new[index] = address
        there.setdefault(keys, None)


def _keys(call: Call, address: CreateAddress) -> tuple[str, str]:
    values = compose_address(call.client_id, address.model_dump(), book_of(call)).values
    return values["place_key"], values["name_key"]


def _refused(row: AddressFileRow, errors: Sequence[FieldError]) -> _Outcome:
    reference = row.cells.get("reference", "")[:100] or None
    return _Outcome(row.number, "refused", reference, fault=msgspec.to_builtins(list(errors)))
