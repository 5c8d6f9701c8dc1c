"""Client-chosen keys: equal content repeats the answer, other content is refused."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from tests.contexts.chat.makers import make_chat, recipient_access
from tests.contexts.freight.examples import SHIPMENT
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.warehouse.makers import make_product, make_warehouse, some_locations
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.enums import Effect

NAMES = {"scan_id", "client_ref"}
"""Names that always mean such a key."""
AT = {"occurred_at": "2026-06-10T08:00:00Z"}
CSV = "sku,location,quantity\nMUG,YYZ-A-01,{}\n"


def marks(annotation: Any) -> bool:
    found = (*getattr(annotation, "__metadata__", ()), *get_args(annotation))
    return any(isinstance(each, ClientKey) or marks(each) for each in found if not isinstance(each, str))


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for each in get_args(annotation):
        yield from models(each)


def keys_of(model: type[BaseModel]) -> set[tuple[str, bool]]:
    found: set[tuple[str, bool]] = set()
    for name, field in model.model_fields.items():
        marked = any(isinstance(each, ClientKey) for each in field.metadata) or marks(field.annotation)
        if marked or name in NAMES:
            found.add((name, marked))
        for inner in models(field.annotation):
            found |= keys_of(inner)
    return found


def declared() -> dict[str, set[tuple[str, bool]]]:
    operations = {operation.name: operation for operation in registry() if operation.effect is Effect.WRITE}
    return {name: keys for name, operation in operations.items() if (keys := keys_of(operation.request))}


async def attempts(app: App) -> dict[str, tuple[str | None, dict[str, Any], dict[str, Any], str]]:
    """Return caller, first request, changes and reported field for each operation."""
    warehouse = await make_warehouse(app)
    await some_locations(app, warehouse, "A-01")
    await make_product(app)
    order = await make_chat(app)
    scan = {"scan_id": "1", "kind": "receive", "code": "MUG", "warehouse_id": warehouse, "location": "YYZ-A-01", **AT}
    chat = {"order_id": order, "client_ref": "m-1", "text": "Hello"}
    recipient = {"access": await recipient_access(app, order), "client_ref": "m-1", "text": "Hello"}
    photo = {**PHOTO, "order_id": order, "client_ref": "m-1"}
    table = {"format": "csv", "content": CSV.format(1), "reference": "DN-1"}
    return {
        "record_scan": ("admin", {"device_id": "gun", **scan}, {"code": "MUG-2"}, "code"),
        "import_stock": ("admin", table, {"content": CSV.format(2)}, "content"),
        "create_order": ("admin", {"consignee": ADDRESS, "order_ref": "A-1"}, {"note": "Ring"}, "note"),
        "create_freight_shipment": (
            "customer",
            {**SHIPMENT, "shipment_ref": "F-1"},
            {"instructions": "Dock 4"},
            "instructions",
        ),
        "send_chat_message": ("customer", chat, {"text": "Bye"}, "text"),
        "send_delivery_chat_message": (None, recipient, {"text": "Bye"}, "text"),
        "send_chat_photo": ("customer", photo, {}, "kind"),
    }


IN_A_BATCH = {"sync_scans", "sync_rider_events", "report_offline_openings"}
"""Many rows in one call: `test_client_keys.py` of the warehouse, `test_reused_ids.py` of the offline queue, and
`test_offline_codes.py` of the lockers."""
SAME_ACTION = {"send_chat_photo", "send_delivery_chat_photo"}
"""Photos share the comparison of messages; the content of a photo is not compared."""


async def test_every_idempotency_key_is_marked_and_tested(app: App) -> None:
    found = declared()
    assert {(name, key) for name, keys in found.items() for key, marked in keys if not marked} == set()
    tried = {*await attempts(app), *IN_A_BATCH, *SAME_ACTION}
    assert found.keys() - tried == set()


async def test_a_repeat_returns_the_first_response_and_other_content_is_refused_by_field(app: App) -> None:
    tries = await attempts(app)
    for name in tries.keys() - SAME_ACTION:
        who, first, change, field = tries[name]
        for _ in range(2):
            await app.answer(who, name, first)
        refused = await app.call(who, name, {**first, **change})
        assert refused.error, name
        assert (name, refused.status, [each["field"] for each in refused.error["errors"]]) == (name, 409, [field])
