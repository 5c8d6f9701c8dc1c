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
    """The values of some records as far as the caller sees them. Records without values cost nothing."""
    if not any(documents):
        return [{} for _ in documents]
    fields, account = await get_field_set(call, kind), call.principal.account
    return [visible_values(fields, document, account) for document in documents]


async def list_shown_fields(call: Call, kind: ResourceKind) -> list[str]:
    """The names of the fields that the caller sees of records of a kind, in the order of their definitions."""
    fields, account = await get_field_set(call, kind), call.principal.account
    return [name for name, field in fields.active.items() if field.is_visible_to(account)]


async def share_custom_fields(
    call: Call, kind: ResourceKind, documents: Sequence[Document | None]
) -> list[dict[str, Any]]:
    """The values of some records that a partner sees who takes them; the call is of the business that gives."""
    if not any(documents):
        return [{} for _ in documents]
    fields = await get_field_set(call, kind)
    return [shared_values(fields, document) for document in documents]


async def read_custom_field_filters(call: Call, kind: ResourceKind, filters: Sequence[str]) -> FilterPlan:
    """The filters of a list as its store takes them. Raises `INVALID_REQUEST` for what is none, or not the caller's to see."""
    if not filters:
        return FilterPlan()
    found, faults = read_filters(await get_field_set(call, kind), filters, call.principal.account)
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    return plan_filters(found, await count_matching(call.work, found, MAX_GATHERED + 1))


async def list_matching_records(call: Call, kind: ResourceKind, plan: FilterPlan) -> list[int]:
    """The ids of at most ten thousand records that match a plan, the newest: for lists of tables that stand elsewhere."""
    return await list_matching_ids(call.work, kind, plan, MAX_MATCHING)
