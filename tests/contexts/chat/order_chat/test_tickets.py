"""Chat tickets end with their token and with the right to read the chat."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.contexts.chat.makers import make_chat, said
from tests.support.app import App

from haulier.contexts.messaging.channels.actions import check_sign_in
from haulier.contexts.messaging.ports import Channel, ChannelSignIn


class SilentBroker:
    """A broker that notes whom it cuts off, and how often something was published."""

    configured, asks_sign_ins, addresses, prefix = True, True, ("mqtts://broker.example",), "haulier"

    def __init__(self) -> None:
        self.cut_off: list[str] = []
        self.published = 0

    async def publish(self, topic: str, *payloads: bytes) -> None:
        self.published += 1

    async def disconnect(self, connection: str) -> None:
        self.cut_off.append(connection)


@pytest.fixture
def broker(app: App) -> Iterator[SilentBroker]:
    adapters: Any = app.application.adapters
    before = adapters[Channel]
    adapters[Channel] = SilentBroker()
    yield adapters[Channel]
    adapters[Channel] = before


async def make_listener(app: App, order_id: int, **token: Any) -> Any:
    """Connect with a ticket issued to a token of the customer."""
    issued = await app.answer("customer", "issue_api_token", {"name": "reader", "scopes": ["orders:read"], **token})
    app.tokens["reader"], app.ids["reader"] = issued.access_token, issued.id
    ticket = (await app.answer("reader", "open_chat_channel", {"order_id": order_id})).ticket
    assert await comes_in(app, ticket)
    return ticket


async def comes_in(app: App, ticket: Any) -> bool:
    name = ticket.username
    sign_in = ChannelSignIn(username=name, password=ticket.password, device=name, connection=f"link of {name}")
    return await check_sign_in(app.application, sign_in) is not None


async def test_a_ticket_ends_with_the_token_that_requested_it(app: App, broker: SilentBroker) -> None:
    order = await make_chat(app)
    ticket = await make_listener(app, order)
    await said(app, "driver", order, "One")
    await app.work_off()
    assert (broker.cut_off, broker.published) == ([], 1)
    await app.answer("customer", "revoke_api_token", {"token_id": app.ids["reader"]})
    await said(app, "driver", order, "Two")
    await app.work_off()
    assert broker.cut_off == [f"link of {ticket.username}"]
    assert not await comes_in(app, ticket)


async def test_a_ticket_ends_when_its_user_loses_access_to_the_chat(app: App, broker: SilentBroker) -> None:
    order = await make_chat(app)
    ticket = await make_listener(app, order)
    await app.answer("admin", "set_permissions", {"user_id": app.ids["customer"], "scopes": ["account:read"]})
    await said(app, "driver", order, "One")
    await app.work_off()
    assert broker.cut_off == [f"link of {ticket.username}"]
