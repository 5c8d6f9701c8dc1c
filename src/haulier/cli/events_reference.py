"""Generator of `docs/reference/events`: a page for each webhook event."""

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from haulier.cli.operations_reference import OPERATIONS, area_page
from haulier.contexts.integrations.public import EVENT_CATALOG, CatalogEvent, describe_event_data, event_records
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.registry import Registry

EVENTS = Path("docs/reference/events")
INDEX = """# Webhook events

Haulier posts these events to the endpoints of a business: see [receive webhooks](../../integrate/webhooks.md) for signatures,
retries and replays. Subscribe to single events or to `"*"`. Generated from the catalog by `make published`.

**Customers** marks events that endpoints of customers receive for their own orders.
"""
SAMPLE_TIME = "2026-06-10T14:00:00Z"
SAMPLE_DAY = "2026-06-10"
SAMPLE_NUMBER = "HL0V2M5R9XQ4T1C"
Translate = Callable[..., str]


def render_event_pages(registry: Registry, translate: Translate) -> dict[str, str]:
    """Return the pages in Markdown by file name."""
    records, parts = event_records(), [INDEX]
    for kind, entries in groupby(EVENT_CATALOG, key=lambda entry: entry.name.partition(".")[0]):
        parts.append(f"\n## {kind.replace('_', ' ').capitalize()}\n\n| Event | Meaning | Customers |\n|---|---|---|\n")
        parts += [
            f"| [`{entry.name}`]({entry.name}.md) | {translate(entry.text_id)} | {'yes' if entry.for_customers else ''} |\n"
            for entry in entries
        ]
    pages = {
        f"{entry.name}.md": _event_page(
            entry, describe_event_data(entry, records.get(entry.record_name)), registry, translate
        )
        for entry in EVENT_CATALOG
    }
    return {"README.md": "".join(parts), **pages}


def _event_page(entry: CatalogEvent, data: Mapping[str, Any], registry: Registry, translate: Translate) -> str:
    fields: Mapping[str, Any] = data.get("properties", {})
    rows = [f"| `{name}` | {_kind(field)} | {field.get('description', '')} |\n" for name, field in fields.items()]
    table = f"\n| Field | Type | Meaning |\n|---|---|---|\n{''.join(rows)}" if rows else ""
    reader = registry.get(entry.read_by)
    return (
        f"# {entry.name}\n\n{translate(entry.text_id)}\n\n```json\n{_sample_message(entry, fields)}\n```\n"
        f"\n## Data\n{table}{_recipients(entry, reader)}"
    )


def _recipients(entry: CatalogEvent, reader: Operation[Any, Any] | None) -> str:
    lines = ["\n## Recipients\n"]
    if reader is not None:
        place = f"../{OPERATIONS.name}/{area_page(reader)}#{reader.name}"
        scopes = ", ".join(f"`{scope}`" for scope in sorted(reader.scopes))
        needs = f" with {scopes}" if scopes else ""
        lines.append(f"- Endpoints of staff who may call [`{reader.name}`]({place}){needs}.")
    if entry.for_customers:
        lines.append("- Endpoints of customers, for their own orders and without hidden prices.")
    lines.append("- Events of one call about one subject arrive in order; `sequence` grows for each subject.")
    return "\n".join([*lines, "", "[Receive webhooks](../../integrate/webhooks.md) · [All events](README.md)", ""])


def _kind(field: Mapping[str, Any]) -> str:
    """Return the type of a field in words."""
    if choices := field.get("anyOf"):
        return " or ".join(dict.fromkeys(_kind(choice) for choice in choices))
    if "$ref" in field:
        return "object"
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {}))}"
    kinds = field.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


def _sample_message(entry: CatalogEvent, fields: Mapping[str, Any]) -> str:
    data = {name: _sample(name, field) for name, field in fields.items()}
    message: dict[str, Any] = {
        "id": "msg_Yk3vW0dQ2mXb1_pL_0",
        "event": entry.name,
        "occurred_at": SAMPLE_TIME,
        "sequence": 17825792,
        "client": "demo",
        "version": 1,
    }
    if entry.subject_field:
        message["subject"] = f"{entry.kind}:{data.get(entry.subject_field)}"
    return json.dumps({**message, "data": data}, indent=2, ensure_ascii=False)


def _sample(name: str, field: Mapping[str, Any]) -> Any:
    """Return a plausible value of a field."""
    choices = [choice for choice in field.get("anyOf", ()) if choice.get("type") != "null"]
    if choices:
        return _sample(name, choices[0])
    if "enum" in field:
        return field["enum"][0]
    match field.get("type"):
        case "integer":
            return 1250 if name.endswith("_minor") else 3 if name in {"count", "quantity"} else 17
        case "number":
            return 1.5
        case "boolean":
            return bool(field.get("default", True))
        case "array":
            return [_sample(name.removesuffix("s"), field.get("items", {}))]
        case "string":
            return _sample_text(name)
        case _:
            return {}


def _sample_text(name: str) -> str:
    known = {"tracking_number": SAMPLE_NUMBER, "currency": "EUR", "status": "NEW_ORDER", "step": "create"}
    if name.endswith("_at"):
        return SAMPLE_TIME
    return known.get(name) or (SAMPLE_DAY if name in {"day", "date"} or name.endswith("_date") else "…")
