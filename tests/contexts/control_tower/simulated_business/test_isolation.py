"""Live and test data never mix, over any interface and in the background."""

from sqlalchemy import delete
from tests.contexts.control_tower.simulated_business.conftest import Unreachable
from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.support.app import App
from tests.support.tables import rows_of
from tests.support.transport import make_order

from haulier.contexts.identity.accounts.store.tables import clients
from haulier.contexts.identity.ports import Mailer
from haulier.contexts.messaging.ports import SmsSender
from haulier.contexts.payments.ports import PaymentProviderDirectory
from haulier.contexts.shipping.ports import CarrierDirectory
from haulier.kernel.principal import Business


async def test_orders_of_one_mode_are_missing_in_the_other(app: App) -> None:
    who = await open_test_mode(app)
    live, test = await make_order(app, order_ref="LIVE-1"), await make_order(app, who, order_ref="TEST-1")
    assert (await app.call("admin", "get_order_detail", {"order_id": test})).status == 404
    assert (await app.call(who, "get_order_detail", {"order_id": live})).status == 404
    for caller, own in (("admin", "LIVE-1"), (who, "TEST-1")):
        assert [each.order_ref for each in (await app.answer(caller, "get_orders")).orders] == [own]
        for search in ("LIVE-1", "TEST-1", "Lovelace"):
            found = (await app.answer(caller, "get_orders", {"search": search})).orders
            assert {each.order_ref for each in found} <= {own}
        listed = (await app.rest(caller, "GET", "/v1/orders")).json()["orders"]
        assert [each["order_ref"] for each in listed] == [own]


async def test_work_in_test_mode_leaves_live_rows_as_they_are(app: App, no_service: None) -> None:
    who = await open_test_mode(app)
    before = await rows_of(app, "demo")
    order = await make_order(app, who)
    await app.answer(who, "advance_test_record", {"order_id": order, "to": "delivered"})
    await app.answer(who, "create_user", {"name": "Dan", "email": "dan@example.com", "account": "driver"})
    await app.work_off()
    after = await rows_of(app, "demo")
    assert [table for table in before if before[table] != after[table]] == []


async def test_jobs_of_a_test_business_use_simulated_services(app: App, no_service: None) -> None:
    who = await open_test_mode(app)
    await app.answer(who, "invite_user", {"name": "Eve", "email": "eve@example.com", "account": "driver"})
    assert await app.work_off() > 0
    business = Business(1, "t", "UTC", "EUR", test=True)
    simulated = app.application.of_business(business)
    for port in (Mailer, SmsSender, PaymentProviderDirectory, CarrierDirectory):
        assert simulated.adapter(port) is app.application.test_adapters[port]
    assert isinstance(app.application.adapter(Mailer), Unreachable)


async def test_test_businesses_find_no_live_partners_and_the_other_way_round(app: App) -> None:
    who = await open_test_mode(app)
    code = (await app.answer(who, "get_client")).client.code
    for caller, other in ((who, "rival"), ("rival", code)):
        refused = await app.call(caller, "propose_partnership", {"business": other, "role": "give"})
        assert refused.status == 404


async def test_a_test_business_does_not_make_its_owner_lose_the_server(app: App) -> None:
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("the server has one business")
        await work.run(delete(clients).where(clients.c.code == "rival"))
    who = await open_test_mode(app)
    assert (await app.answer("admin", "list_map_regions")).may_manage
    assert not (await app.answer(who, "list_map_regions")).may_manage
