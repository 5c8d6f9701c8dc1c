"""Values as answers show them, and the filters of lists."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.custom_fields.definitions.queries import get_field_set
from haulier.contexts.custom_fields.definitions.rules import ResourceKind
from haulier.contexts.custom_fields.values.rules import (
    MAX_GATHERED,
    Document,
    FilterPlan,
    plan_filters,
    read_filters,
    shared_values,
    visible_values,
)
from haulier.contexts.custom_fields.values.store import count_matching, list_matching_ids
from haulier.contexts.custom_fields.values.store import custom_fields_column as custom_fields_column
from haulier.contexts.custom_fields.values.store import erased_custom_fields as erased_custom_fields
from haulier.contexts.custom_fields.values.store import matching_records as matching_records
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST

MAX_MATCHING = 10_000


async def show_custom_fields(
    call: Call, kind: ResourceKind, documents: Sequence[Document | None]
) -> list[dict[str, Any]]:
    """Return the values of records that the caller sees.

    Records without values cost nothing.
    """
    if not any(documents):
        return [{} for _ in documents]
    fields, account = await get_field_set(call, kind), call.principal.account
    return [visible_values(fields, document, account) for document in documents]


async def list_shown_fields(call: Call, kind: ResourceKind) -> list[str]:
    """Return the names of visible fields of a kind, in definition order."""
    fields, account = await get_field_set(call, kind), call.principal.account
    return [name for name, field in fields.active.items() if field.is_visible_to(account)]


async def share_custom_fields(
    call: Call, kind: ResourceKind, documents: Sequence[Document | None]
) -> list[dict[str, Any]]:
    """Return the values of records that a partner sees.

    The call is of the business that shares them.
    """
    if not any(documents):
        return [{} for _ in documents]
    fields = await get_field_set(call, kind)
    return [shared_values(fields, document) for document in documents]


async def read_custom_field_filters(call: Call, kind: ResourceKind, filters: Sequence[str]) -> FilterPlan:
    """Return the filters of a list for its store.

    Raises `INVALID_REQUEST` for an invalid filter, or a field that the caller cannot see.
    """
    if not filters:
        return FilterPlan()
    found, faults = read_filters(await get_field_set(call, kind), filters, call.principal.account)
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    return plan_filters(found, await count_matching(call.work, found, MAX_GATHERED + 1))


async def list_matching_records(call: Call, kind: ResourceKind, plan: FilterPlan) -> list[int]:
    """Return the newest ids of records that match a plan, at most ten thousand.

    For lists of tables in other places.
    """
    return await list_matching_ids(call.work, kind, plan, MAX_MATCHING)
