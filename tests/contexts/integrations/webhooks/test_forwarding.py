"""News is passed on in the transaction that announces it: with it or not at all, and at a cost that does not grow."""

import inspect
import sys
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.app import App
from tests.contexts.integrations.webhooks.making import PLACE, an_endpoint, an_order, logs, near

from haulier.contexts.integrations.webhooks.rules.codebook import BY_NAME, CODEBOOK, parts, subject, wants
from haulier.kernel.data.work import Session
from haulier.kernel.errors import CONFLICT
from haulier.kernel.events import Event
from haulier.kernel.jobs import jobs
from haulier.kernel.languages import SUPPORTED

URL = "https://receiver.example/hooks"
KEPT_INSIDE: dict[str, str] = {}
"""Events that are no news for anybody outside, and why."""


def announced() -> dict[str, type[Event]]:
    """Every event that a context declares, by the name of its record."""
    return {kind.__name__: kind for kind in Event.__subclasses__() if kind.__module__.startswith("haulier.contexts.")}


def test_the_codebook_has_every_event_that_a_context_announces() -> None:
    assert sys.modules["haulier.app"]
    known = {each.announced_as for each in CODEBOOK}
    assert sorted(announced().keys() - known - KEPT_INSIDE.keys()) == [], "add these to rules/codebook.py"
    assert sorted(known - announced().keys()) == []
    assert len(BY_NAME) == len(CODEBOOK)


@pytest.mark.parametrize("known", CODEBOOK, ids=lambda known: known.name)
def test_an_event_is_said_in_every_language_and_names_what_it_is_about(app: App, known: Any) -> None:
    said = {language: app.house.catalogues.say(language, known.wording) for language in SUPPORTED}
    assert len(set(said.values())) == len(SUPPORTED)
    fields = announced()[known.announced_as].__struct_fields__
    assert known.each in fields if known.each else known.by is None or known.by in fields


@pytest.mark.parametrize("known", [each for each in CODEBOOK if each.for_customers], ids=lambda known: known.name)
def test_what_customers_are_told_of_names_an_order_and_no_price(known: Any) -> None:
    source = inspect.getsource(announced()[known.announced_as])
    assert "price" not in source
    assert "_minor" not in source
    assert known.kind in ("order", "tracking")


def test_several_things_in_one_piece_of_news_are_several_messages() -> None:
    several, one = BY_NAME["tracking.corrected"], BY_NAME["order.held"]
    assert parts(several, {"tracking_numbers": ["A", "B"]}) == [{"tracking_number": "A"}, {"tracking_number": "B"}]
    assert [subject(several, part) for part in parts(several, {"tracking_numbers": ["A"]})] == ["tracking:A"]
    assert (parts(one, {"order_id": 7}), subject(one, {"order_id": 7})) == ([{"order_id": 7}], "order:7")
    assert (wants(["*"], "order.held"), wants(["order.held"], "order.created")) == (True, False)


async def waiting(app: App) -> int:
    async with app.database.read(None) as work:
        return await work.value(select(func.count()).select_from(jobs).where(jobs.c.kind == "webhooks.spread"))


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
    operation = app.house.registry["create_order"]

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
        monkeypatch.setitem(app.house.registry._operations, "create_order", changed)
        await app.call("admin", "create_order", {"consignee": PLACE})
        assert await waiting(app) == errands
    async with app.database.read(None) as work:
        (job,) = await work.all(select(jobs).where(jobs.c.kind == "webhooks.spread"))
    assert [told["event"] for told in job.args["told"]].count("order.created") == 1


async def test_a_rehearsal_lists_the_letter_and_sends_none(app: App) -> None:
    await an_endpoint(app, URL, "order.created")
    outcome = await app.call("admin", "create_order", {"consignee": PLACE}, rehearse=True)
    assert "webhooks.spread" in [letter.kind for letter in outcome.letters or ()]
    assert await waiting(app) == 0


async def test_the_cost_to_a_call_is_one_look_and_one_errand_however_much_happens(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[int] = []
    settle = Session.settle

    async def counted(session: Session) -> None:
        before = session.statements
        await settle(session)
        spent.append(session.statements - before)

    async def cost(count: int) -> int:
        spent.clear()
        orders = {"orders": [{"consignee": PLACE} for _ in range(count)]}
        await app.answer("admin", "bulk_create_orders", orders, confirmed=True)
        return sum(spent)

    monkeypatch.setattr(Session, "settle", counted)
    assert [await cost(2), await cost(20)] == [1, 1]
    await an_endpoint(app, URL)
    assert [await cost(2), await cost(20)] == [2, 2]


async def test_the_statements_of_a_delivery_do_not_grow_with_the_log(app: App) -> None:
    with near(app) as receiver:
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
        assert len(await logs(app, status="delivered")) == 32
