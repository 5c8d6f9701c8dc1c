"""News is passed on in the transaction that announces it: with it or not at all, and at a cost that does not grow."""

import inspect
import sys
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.contexts.integrations.webhooks.makers import PLACE, a_local_receiver, an_endpoint, an_order, list_deliveries
from tests.support.app import App

from haulier.contexts.integrations.webhooks.rules.event_catalog import (
    EVENT_BY_NAME,
    EVENT_CATALOG,
    is_subscribed,
    message_subject,
    split_event,
)
from haulier.kernel.background import job_table
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.data.unit_of_work import DriverSession
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations.errors import CONFLICT

URL = "https://receiver.example/hooks"
KEPT_INSIDE: dict[str, str] = {}
"""Events that are no news for anybody outside, and why."""


def announced() -> dict[str, type[DomainEvent]]:
    """Every event that a context declares, by the name of its record."""
    return {
        kind.__name__: kind for kind in DomainEvent.__subclasses__() if kind.__module__.startswith("haulier.contexts.")
    }


def test_the_codebook_has_every_event_that_a_context_announces() -> None:
    assert sys.modules["haulier.app"]
    known = {each.record_name for each in EVENT_CATALOG}
    assert sorted(announced().keys() - known - KEPT_INSIDE.keys()) == [], "add these to rules/event_catalog.py"
    assert sorted(known - announced().keys()) == []
    assert len(EVENT_BY_NAME) == len(EVENT_CATALOG)


@pytest.mark.parametrize("known", EVENT_CATALOG, ids=lambda known: known.name)
def test_an_event_is_said_in_every_language_and_names_what_it_is_about(app: App, known: Any) -> None:
    said = {language: app.application.catalogues.translate(language, known.wording) for language in SUPPORTED_LANGUAGES}
    assert len(set(said.values())) == len(SUPPORTED_LANGUAGES)
    fields = announced()[known.record_name].__struct_fields__
    assert (
        known.items_field in fields
        if known.items_field
        else known.subject_field is None or known.subject_field in fields
    )


@pytest.mark.parametrize("known", [each for each in EVENT_CATALOG if each.for_customers], ids=lambda known: known.name)
def test_what_customers_are_told_of_names_an_order_and_no_price(known: Any) -> None:
    source = inspect.getsource(announced()[known.record_name])
    assert "price" not in source
    assert "_minor" not in source
    assert known.kind in ("order", "tracking")


def test_several_things_in_one_piece_of_news_are_several_messages() -> None:
    several, one = EVENT_BY_NAME["tracking.corrected"], EVENT_BY_NAME["order.held"]
    assert split_event(several, {"tracking_numbers": ["A", "B"]}) == [
        {"tracking_number": "A"},
        {"tracking_number": "B"},
    ]
    assert [message_subject(several, part) for part in split_event(several, {"tracking_numbers": ["A"]})] == [
        "tracking:A"
    ]
    assert (split_event(one, {"order_id": 7}), message_subject(one, {"order_id": 7})) == ([{"order_id": 7}], "order:7")
    assert (is_subscribed(["*"], "order.held"), is_subscribed(["order.held"], "order.created")) == (True, False)


async def waiting(app: App) -> int:
    async with app.database.read(None) as work:
        return await work.value(
            select(func.count()).select_from(job_table).where(job_table.c.kind == "webhooks.fan_out")
        )


async def test_what_nobody_wants_leaves_no_errand(app: App) -> None:
    await an_order(app)
    await an_endpoint(app, URL, "user.created")
    await an_order(app)
    assert await waiting(app) == 0
    await an_endpoint(app, URL, "order.created")
    await an_order(app)
    assert await waiting(app) == 1


async def test_what_a_call_undoes_was_never_news(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await an_endpoint(app, URL)
    operation = app.application.registry["create_order"]

    async def fails_at_the_end(call: Any, request: Any) -> Any:
        await operation.handler(call, request)
        raise CONFLICT()

    async def in_a_savepoint(call: Any, request: Any) -> Any:
        try:
            async with call.work.savepoint():
                await fails_at_the_end(call, request)
        except Exception:
            return await operation.handler(call, request)

    for handler, errands in ((fails_at_the_end, 0), (in_a_savepoint, 1)):
        changed = replace(operation, handler=handler)
        monkeypatch.setitem(app.application.registry._operations, "create_order", changed)
        await app.call("admin", "create_order", {"consignee": PLACE})
        assert await waiting(app) == errands
    async with app.database.read(None) as work:
        (job,) = await work.all(select(job_table).where(job_table.c.kind == "webhooks.fan_out"))
    assert [told["event"] for told in job.args["told"]].count("order.created") == 1


async def test_a_rehearsal_lists_the_letter_and_sends_none(app: App) -> None:
    await an_endpoint(app, URL, "order.created")
    outcome = await app.call("admin", "create_order", {"consignee": PLACE}, dry_run=True)
    assert "webhooks.fan_out" in [letter.kind for letter in outcome.side_effects or ()]
    assert await waiting(app) == 0


async def test_the_cost_to_a_call_is_one_look_and_one_errand_however_much_happens(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[int] = []
    run_deferred = DriverSession.run_deferred

    async def counted(session: DriverSession) -> None:
        before = session.statements
        await run_deferred(session)
        spent.append(session.statements - before)

    async def cost(count: int) -> int:
        spent.clear()
        orders = {"orders": [{"consignee": PLACE} for _ in range(count)]}
        await app.answer("admin", "bulk_create_orders", orders, confirmed=True)
        return sum(spent)

    monkeypatch.setattr(DriverSession, "run_deferred", counted)
    assert [await cost(2), await cost(20)] == [1, 1]
    await an_endpoint(app, URL)
    assert [await cost(2), await cost(20)] == [2, 2]


async def test_the_statements_of_a_delivery_do_not_grow_with_the_log(app: App) -> None:
    with a_local_receiver(app) as receiver:
        await an_endpoint(app, receiver.url(), "order.created")
        counts: list[int] = []
        for before_it in (0, 30):
            for _ in range(before_it):
                await an_order(app)
            await app.work_off()
            await an_order(app)
            before = app.statements
            await app.work_off()
            counts.append(app.statements - before)
        assert counts[0] == counts[1]
        assert len(await list_deliveries(app, status="delivered")) == 32
