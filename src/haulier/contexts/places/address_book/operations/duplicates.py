"""Duplicates: addresses of one place and one name, found and merged."""

from typing import Any

from haulier.contexts.places.address_book import actions, store
from haulier.contexts.places.address_book.contract import AddressAnswer, DuplicateGroup, DuplicateList, MergeAddresses
from haulier.contexts.places.address_book.operations.addresses import answer_address, load_address
from haulier.contexts.places.address_book.serializers import address_record
from haulier.contexts.places.events import AddressChanged
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.values.pagination import PageRequest, total_fields

FILLED = ("company", "unit", "region", "postal_code", "phone", "email", "access_notes", "gate_code", "reference")
"""Fields that an address takes from its duplicates if it lacks them."""


@reads(
    "list_duplicate_addresses",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    interfaces=(Rest("GET", "/v1/addresses/duplicates"), GraphQL("duplicateAddresses")),
)
async def list_duplicate_addresses(call: Call, request: PageRequest) -> DuplicateList:
    """List groups of duplicate addresses.

    Addresses in a group have the same name and place, however they are written.
    """
    keys, total = await store.list_duplicate_keys(call.work, limit=request.per_page, offset=request.offset)
    rows = await store.list_addresses_at_places(call.work, {key.place_key for key in keys})
    groups = [
        DuplicateGroup(
            addresses=[
                address_record(call, row)
                for row in rows
                if (row.place_key, row.name_key, row.customer_id) == (key.place_key, key.name_key, key.customer_id)
            ]
        )
        for key in keys
    ]
    return DuplicateList(page=request.page, per_page=request.per_page, groups=groups, **total_fields(total))


@writes(
    "merge_addresses",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", "/v1/addresses/{address_id}/merge"), GraphQL("mergeAddresses")),
)
async def merge_addresses(call: Call, request: MergeAddresses) -> AddressAnswer:
    """Merge duplicate addresses into one.

    The remaining address takes over values that it lacks. The others are deleted.
    """
    rows = await store.get_address_rows(call.work, [request.address_id, *request.duplicate_ids], lock=True)
    kept = rows.get(request.address_id) or await load_address(call, request.address_id)
    if missing := next((id for id in request.duplicate_ids if id not in rows), None):
        raise record_not_found(duplicate_ids=missing)
    if request.address_id in request.duplicate_ids:
        raise INVALID_REQUEST.for_fields(FieldError("duplicate_ids", "field.merged_into_itself"))
    others = [rows[id] for id in request.duplicate_ids]
    if any(other.customer_id != kept.customer_id for other in others):
        raise INVALID_REQUEST.for_fields(FieldError("duplicate_ids", "field.in_another_book"))
    await store.delete_addresses(call.work, [other.id for other in others], call.now, into=kept.id)
    await actions.change_address(call, kept, _taken_over(kept, others))
    call.add_audit_subjects("address", kept.id, *(other.id for other in others))
    await call.publish(AddressChanged(address_id=kept.id, change="changed"))
    for other in others:
        await call.publish(AddressChanged(address_id=other.id, change="removed", merged_into=kept.id))
    return await answer_address(call, kept.id)


def _taken_over(kept: store.AddressRow, others: list[store.AddressRow]) -> dict[str, Any]:
    """Return the values taken from duplicates; coordinates only together."""
    taken: dict[str, Any] = {}
    for name in FILLED:
        if getattr(kept, name) is None:
            taken[name] = next((value for other in others if (value := getattr(other, name)) is not None), None)
    if kept.lat is None and (placed := next((other for other in others if other.lat is not None), None)):
        taken |= {"lat": placed.lat, "lng": placed.lng}
    return taken | ({"default_sender": True} if any(other.default_sender for other in others) else {})
