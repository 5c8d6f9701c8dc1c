"""Custom fields of a business as form inputs with the business's labels."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from haulier.contexts.custom_fields.definitions.operations import list_custom_fields
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.resources import rest_interface
from haulier.web.desk.forms import FormSchema, form_of
from haulier.web.desk.pages import DeskRequest

SHOWN_AS = "custom_fields"
"""Field that holds the custom values of a record."""


async def form_for(desk: DeskRequest, operation: Operation[Any, Any]) -> FormSchema:
    """Return an operation's form with the custom fields that the caller may write."""
    form = form_of(operation.request)
    if not form.takes_own_fields:
        return form
    interface = rest_interface(operation)
    makes = (
        interface is not None and interface.method == "POST"
    )  # a record that is there may lack what new ones must have
    own = defaultdict[str, list[Mapping[str, Any]]](list)
    for each in await _definitions(desk):
        if each["editable"] and not each["archived"]:
            own[each["kind"]].append({**each, "required": each["required"] and makes})
    return form.with_own_fields(own)


async def with_own_labels(desk: DeskRequest, record: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose own fields have the names that people call them by."""
    if not record.get(SHOWN_AS):
        return dict(record)
    labels = {each["name"]: each["label"] for each in await _definitions(desk)}
    return {**record, SHOWN_AS: {labels.get(name, name): value for name, value in record[SHOWN_AS].items()}}


async def _definitions(desk: DeskRequest) -> list[dict[str, Any]]:
    return (await desk.read_if_allowed(list_custom_fields)).get("custom_fields") or []
