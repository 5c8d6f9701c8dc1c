"""Screens at sites: codes entered there, and couriers who sign in."""

import asyncio
from typing import Any

from tests.contexts.lockers.makers import (
    Cabinet,
    deposited,
    drop_off,
    make_cabinet,
    make_return,
    parcel_now,
    refusal,
    reserved,
)
from tests.contexts.lockers.shop.makers import make_shop
from tests.contexts.payments.makers import account_balances, make_stripe
from tests.support.app import App


class Screen:
    """A screen of a site."""

    def __init__(self, app: App, id: int, key: str) -> None:
        self.app, self.id, self.key = app, id, key

    async def shows(self, **asked: Any) -> Any:
        return await self.app.answer(None, "show_locker_screen", {"screen_key": self.key, **asked})

    async def asks(self, operation: str, **asked: Any) -> Any:
        return await self.app.answer(None, operation, {"screen_key": self.key, **asked})

    async def types(self, code: str, **asked: Any) -> Any:
        return await self.app.answer(None, "enter_locker_code", {"screen_key": self.key, "code": code, **asked})


async def make_screen(app: App, cabinet: Cabinet) -> Screen:
    made = await app.answer("admin", "create_locker_screen", {"site_id": cabinet.site_id, "name": "Left"})
    return Screen(app, made.screen.id, made.screen_key)


async def test_a_purchase_at_a_screen_is_paid_by_phone_and_opens_the_door(app: App) -> None:
    stripe, shop = await make_stripe(app), await make_shop(app, pieces=2)
    screen = await make_screen(app, shop.cabinet)
    assert "buy" in (await screen.shows()).offers
    (tea,) = (await screen.asks("list_screen_goods")).goods
    assert (tea.name, tea.shelf_price_minor, tea.available) == ("Earl Grey, tin", 850, 2)
    made = await screen.asks("buy_at_locker_screen", shop_product_id=shop.product_id)
    assert made.pay_url.endswith(f"/pay#{made.link}")
    assert made.pay_qr.startswith("<svg")
    assert (made.purchase.status, (await shop.offered())) == ("reserved", 1)
    link = {"link": made.link}
    await app.answer(None, "start_linked_shop_payment", link)
    stripe.play("pay")
    await stripe.deliver()
    (command,) = await shop.cabinet.does()
    assert (command.command, command.box) == ("open", 1)
    assert (await app.answer(None, "get_linked_shop_purchase", link)).purchase.status == "collected"
    assert await refusal(app, None, "cancel_linked_shop_purchase", link) == (409, "SHOP_STEP_REFUSED")


async def test_a_purchase_whose_door_does_not_open_is_refunded_to_the_card(app: App) -> None:
    stripe, shop = await make_stripe(app), await make_shop(app)
    screen = await make_screen(app, shop.cabinet)
    made = await screen.asks("buy_at_locker_screen", shop_product_id=shop.product_id)
    await app.answer(None, "start_linked_shop_payment", {"link": made.link})
    stripe.play("pay")
    await stripe.deliver()
    await shop.cabinet.does("failed")
    await app.work_off()
    assert (await app.answer(None, "get_linked_shop_purchase", {"link": made.link})).purchase.end_reason == "door_stuck"
    assert [each["amount"] for each in stripe.account.refunds.values()] == [850]
    assert await account_balances(app) == {}


async def test_an_abandoned_screen_purchase_is_for_sale_again_and_the_last_item_is_sold_once(app: App) -> None:
    shop = await make_shop(app)
    screen = await make_screen(app, shop.cabinet)
    asked = {"screen_key": screen.key, "shop_product_id": shop.product_id}
    tried = await asyncio.gather(*(app.call(None, "buy_at_locker_screen", asked) for _ in range(4)))
    (made,) = [each.answer for each in tried if each.answer]
    assert {each.error["code"] for each in tried if each.error} == {"SHOP_SOLD_OUT"}
    assert (await screen.asks("list_screen_goods")).goods == []
    given_up = [await app.answer(None, "cancel_linked_shop_purchase", {"link": made.link}) for _ in range(2)]
    assert {each.purchase.end_reason for each in given_up} == {"cancelled"}
    assert await shop.offered() == 1
    await app.answer("admin", "set_shop_settings", {})
    assert "buy" not in (await screen.shows()).offers
    assert await refusal(app, None, "buy_at_locker_screen", asked) == (409, "SHOP_GUESTS_OFF")


async def code_of(app: App, parcel: Any) -> str:
    return (await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})).code


async def test_a_recipient_enters_their_code_at_a_screen_and_sees_the_door(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel, screen = await deposited(app, cabinet), await make_screen(app, cabinet)
    shown = await screen.shows()
    assert (shown.site, shown.offers) == ("Union Station, hall B", ["collect", "drop_off", "courier"])
    assert [each.free for each in shown.free] == [1]
    code = await code_of(app, parcel)
    first, again = [await screen.types(f"{code[:4]} {code[4:]}") for _ in range(2)]
    assert first.door.command_id == again.door.command_id
    assert (first.door.cabinet, first.door.box, first.door.purpose) == ("A", 1, "collect")
    await cabinet.does()
    assert (await screen.shows(command_id=first.door.command_id)).door.status == "done"
    assert (await parcel_now(app, parcel.id)).status == "collected"
    assert not (await screen.types(code)).accepted


async def test_a_courier_signs_in_with_a_code_and_opens_assigned_compartments(app: App) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 3}])
    screen = await make_screen(app, cabinet)
    waiting = await reserved(app, cabinet.site_id)
    handed = await drop_off(app, await make_return(app), cabinet)
    await screen.types(handed.code)
    await cabinet.does()
    inside = await deposited(app, cabinet)
    made = await app.answer("driver", "create_courier_code", {"site_id": cabinet.site_id})
    told = await screen.types(made.code)
    assert {each.locker_parcel_id: each.act for each in told.errands} == {
        waiting.id: "deposit",
        handed.parcel.id: "retrieve",
    }
    for parcel_id in (waiting.id, handed.parcel.id):
        assert (await screen.types(made.code, locker_parcel_id=parcel_id)).door
        await cabinet.does()
    found = [(await parcel_now(app, id)).status for id in (waiting.id, handed.parcel.id, inside.id)]
    assert found == ["deposited", "removed", "deposited"]
    # A parcel that awaits its recipient is not available to a courier.
    wanted = {"screen_key": screen.key, "code": made.code, "locker_parcel_id": inside.id}
    assert await refusal(app, None, "enter_locker_code", wanted) == (409, "LOCKER_STEP_REFUSED")
    app.clock.forward(hours=13)
    assert not (await screen.types(made.code)).accepted


async def test_a_screen_is_blocked_after_five_wrong_codes_and_can_be_revoked(app: App) -> None:
    cabinet = await make_cabinet(app)
    screen, code = await make_screen(app, cabinet), await code_of(app, await deposited(app, cabinet))
    wrong = f"{(int(code) + 1) % 10**8:08}"
    assert [(await screen.types(wrong)).tries_left for _ in range(5)] == [4, 3, 2, 1, 0]
    assert (await screen.types(code)).rests_until
    app.clock.forward(minutes=16)
    assert (await screen.types(code)).accepted
    listed = await app.answer("admin", "list_locker_screens", {"site_id": cabinet.site_id})
    assert [each.id for each in listed.screens] == [screen.id]
    for _ in range(2):
        ended = await app.answer("admin", "end_locker_screen", {"screen_id": screen.id})
        assert ended.screen.ended_at
    asked = {"screen_key": screen.key}
    assert await refusal(app, None, "show_locker_screen", asked) == (401, "LOCKER_SCREEN_UNKNOWN")


async def test_a_screen_opens_only_its_site_and_reports_offline_lockers(app: App) -> None:
    here, there = await make_cabinet(app), await make_cabinet(app)
    screen, code = await make_screen(app, here), await code_of(app, await deposited(app, there))
    assert not (await screen.types(code)).accepted
    opened = await deposited(app, there)
    (_, door) = (await parcel_now(app, opened.id)).accesses, (await parcel_now(app, opened.id)).accesses[0]
    assert (await screen.shows(command_id=door.id)).door is None
    app.clock.forward(minutes=6)
    assert (await screen.shows()).silent_cabinets == ["A"]


async def test_recipients_who_need_a_low_compartment_get_one_if_available(app: App) -> None:
    cabinet = await make_cabinet(app, [{"size": "s", "count": 1}, {"size": "m", "count": 1, "low": True}])
    screen, made = await make_screen(app, cabinet), await drop_off(app, await make_return(app), cabinet)
    door = (await screen.types(made.code, low=True)).door
    assert (door.box, door.low) == (2, True)
