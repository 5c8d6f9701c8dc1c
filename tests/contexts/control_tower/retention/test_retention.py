"""Each kind of record is deleted after the retention period of the business."""

from typing import Any

from sqlalchemy import func, select
from tests.contexts.control_tower.personal_data.makers import (
    TRACES,
    make_delivery_to_quill,
    make_order_of_quill,
    traces_of,
)
from tests.contexts.control_tower.retention.makers import make_new_token, make_round
from tests.support.app import App
from tests.support.tables import rows, rows_of
from tests.support.transport import make_contact, make_order, order_row, set_order, status_and_code

from haulier.contexts.control_tower.retention.contract import RetainedKind
from haulier.contexts.control_tower.retention.jobs import schedule_retention
from haulier.contexts.control_tower.retention.rules import rules_by_kind
from haulier.kernel.background.job_table import job_table


async def due(app: App, kind: str, **words: Any) -> int:
    (record,) = (await app.answer("admin", "preview_retention", {"kind": kind, **words})).kinds
    return record.due


async def kept(app: App) -> dict[str, Any]:
    return {one.kind: one for one in (await app.answer("admin", "get_retention")).kinds}


async def test_contacts_of_finished_orders_are_previewed_and_deleted_after_retention(app: App) -> None:
    order_id, file_id, _ = await make_delivery_to_quill(app)
    await app.answer("admin", "set_retention", {"kind": "order_contacts", "days": 30})
    app.clock.forward(days=29)
    await make_round(app)
    assert (await order_row(app, order_id)).consignee["name"] == "Quill Ravenscroft"
    assert await due(app, "order_contacts") == 0
    app.clock.forward(days=2)
    counted = await due(app, "order_contacts")
    await make_round(app)
    assert ((await kept(app))["order_contacts"].removed, await due(app, "order_contacts")) == (counted, 0)
    row = await order_row(app, order_id)
    assert (row.consignee["name"], row.stop_name, row.status) == ("[erased]", None, 6)
    assert (await app.call("admin", "get_file", {"file_id": file_id})).status == 200  # proofs have a time of their own


async def test_proofs_have_their_own_retention_and_the_contacts_stay(app: App) -> None:
    order_id, file_id, _ = await make_delivery_to_quill(app)
    await app.answer("admin", "set_retention", {"kind": "proofs", "days": 30})
    app.clock.forward(days=31)
    await make_round(app)
    assert (await app.call("admin", "get_file", {"file_id": file_id})).status == 404
    traces = await traces_of(app, ["Quill Ravenscroft junior"])
    assert traces == {}
    assert (await order_row(app, order_id)).consignee["name"] == "Quill Ravenscroft"


async def test_an_unfinished_order_keeps_all_data(app: App) -> None:
    order_id = await make_order_of_quill(app)
    await app.answer("admin", "set_retention", {"kind": "order_contacts", "days": 30})
    app.clock.forward(days=1000)
    await make_round(app)
    assert (await order_row(app, order_id)).consignee["name"] == "Quill Ravenscroft"


async def test_an_order_changed_after_its_contacts_were_deleted_is_processed_again(app: App) -> None:
    order_id = await make_order(app, consignee=make_contact(name="Quill"))
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.answer("admin", "set_retention", {"kind": "order_contacts", "days": 30})
    app.clock.forward(days=31)
    await make_round(app)
    await set_order(app, order_id, note="Quill called", updated_at=app.clock.now)
    app.clock.forward(days=31)
    await make_round(app)
    assert (await order_row(app, order_id)).note is None


async def test_every_other_kind_of_record_is_deleted_when_due(app: App) -> None:
    """The rows of all other kinds, made by a delivery and by calls that are repeated."""
    await make_delivery_to_quill(app)
    await app.answer("admin", "create_order", {"consignee": make_contact()}, idempotency_key="key-1")
    await app.answer(None, "request_password_reset", {"email": "admin@demo.example"})
    await app.answer("employee", "propose_write", {"tool": "create_order", "arguments": {"consignee": make_contact()}})
    await app.work_off()
    app.clock.forward(days=2000)
    await app.work_off()
    await make_new_token(app)
    counted = {one.kind: one.due for one in (await app.answer("admin", "preview_retention")).kinds}
    await make_round(app)
    tables = {
        "audit_trail": "audit_entry",
        "driver_positions": "driver_point",
        "idempotency_answers": "idempotency_key",
    }
    tables |= {"sign_ins": "password_reset", "proposed_writes": "pending_write"}
    left = await rows(app)
    assert [kind for kind in tables if not counted[kind]] == []
    assert (len(left["audit_entry"]), left.get("audit_subject")) == (2, None)  # removals, with and without a client
    assert [table for kind, table in tables.items() if table in left and kind != "audit_trail"] == []
    assert await traces_of(app, TRACES) == {}


async def test_retention_days_can_be_read_and_set_within_their_limits(app: App) -> None:
    defaults = await kept(app)
    assert (defaults["order_contacts"].days, defaults["driver_positions"].days) == (730, 30)
    assert [one.kind for one in defaults.values() if one.days < one.minimum_days or not one.meaning] == []
    await app.answer("admin", "set_retention", {"kind": "audit_trail", "days": 90})
    assert (await kept(app))["audit_trail"].days == 90
    refused = await app.call("admin", "set_retention", {"kind": "audit_trail", "days": 89})
    assert status_and_code(refused) == (422, "RETENTION_TOO_SHORT")
    assert "90" in refused.error["errors"][0]["message"]
    assert {one.kind: one.days for one in (await app.answer("rival", "get_retention")).kinds}["audit_trail"] == 1095


async def test_positions_are_kept_as_long_as_the_driver_app_policy_says(app: App) -> None:
    await app.answer("admin", "set_rider_policy", {"positions_kept_days": 12, "photo_required": True})
    assert (await kept(app))["driver_positions"].days == 12
    await app.answer("admin", "set_retention", {"kind": "driver_positions", "days": 5})
    policy = (await app.answer("admin", "get_rider_policy")).policy
    assert (policy.positions_kept_days, policy.photo_required) == (5, True)


async def test_a_preview_counts_records_for_a_shorter_retention(app: App) -> None:
    await make_delivery_to_quill(app)
    app.clock.forward(days=40)
    assert await due(app, "order_contacts") == 0
    assert await due(app, "order_contacts", days=30) > 0
    refused = await app.call("admin", "preview_retention", {"days": 30})
    assert status_and_code(refused) == (422, "INVALID_REQUEST")


async def test_retention_runs_one_job_per_day_and_client_within_that_client(app: App) -> None:
    await make_order(app, who="rival")
    await app.answer("admin", "set_retention", {"kind": "idempotency_answers", "days": 1})
    await app.answer("rival", "create_order", {"consignee": make_contact()}, idempotency_key="key-1")
    app.clock.forward(days=2)
    before = await rows_of(app, "rival")
    for _ in range(3):
        await schedule_retention.handler(app.application)
    async with app.database.read(None) as work:
        count = select(func.count()).select_from(job_table).where(job_table.c.kind == "retention.apply")
        assert await work.value(count) == 3  # two clients, and what is no client's
    await app.work_off()
    after = await rows_of(app, "rival")
    assert {name for name in before if before[name] != after[name]} == {"retention_progress"}
    assert len((await rows(app))["idempotency_key"]) == 1  # the other client keeps it for thirty days


def test_the_configurable_kinds_are_those_that_tables_declare() -> None:
    assert sorted(RetainedKind.__args__) == sorted(kind.value for kind in rules_by_kind())
