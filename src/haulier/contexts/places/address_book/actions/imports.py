"""Rows of a file, brought into the address book some at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.places.address_book.actions import addresses as book
from haulier.contexts.places.address_book.contract.addresses import CreateAddress
from haulier.contexts.places.address_book.queries import book_of
from haulier.contexts.places.address_book.rules import row_document
from haulier.contexts.places.address_book.store import addresses as store
from haulier.contexts.places.geocoding.rules.file_addresses import repair_address_cells
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors


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
    """What to do with some rows: new addresses by the index of their outcome, and changes of known ones."""

    outcomes: list[_Outcome]
    new: dict[int, CreateAddress] = {}
    changed: dict[int, tuple[store.AddressRow, dict[str, Any]]] = {}


async def import_rows(call: Call, rows: Sequence[AddressFileRow], *, check_only: bool) -> list[dict[str, Any]]:
    """Bring rows into the book, and say what became of each: in a number of statements that does not depend on how many.

    A row with a reference that is known changes that address. One without is a duplicate where the book has its place and
    its name. With `check_only` nothing is changed.
    """
    plan = await _plan_rows(call, rows)
    if not check_only:
        ids = await book.create_addresses(call, list(plan.new.values())) if plan.new else []
        for index, address_id in zip(plan.new, ids, strict=True):
            plan.outcomes[index].address_id = address_id
        await book.change_addresses(call, list(plan.changed.values()))
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
        values, _ = book.changed_values(call, before, given)
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
    values = book.compose_address(call.client_id, address.model_dump(), book_of(call)).values
    return values["place_key"], values["name_key"]


def _refused(row: AddressFileRow, errors: Sequence[FieldError]) -> _Outcome:
    reference = row.cells.get("reference", "")[:100] or None
    return _Outcome(row.number, "refused", reference, fault=msgspec.to_builtins(list(errors)))
