"""Chat messages are pushed through a real MQTT broker to permitted listeners only."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from tests.adapters.mqtt_broker import BROKERS, PATIENCE_S, Broker, listener, make_broker, may_listen
from tests.contexts.chat.makers import make_chat, read, recipient_access, said
from tests.support.app import App
from tests.support.transport import set_order

from haulier.contexts.chat.order_chat import store

CUTS_OFF = "cuts the forger off"


@pytest.fixture(params=BROKERS)
async def broker(app: App, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Broker]:
    async with make_broker(tmp_path / "broker", app, request.param) as broker:
        yield broker


async def ticket_for(app: App, who: str, order_id: int) -> Any:
    return await app.answer(who, "open_chat_channel", {"order_id": order_id})


async def heard(client: aiomqtt.Client, count: int, kind: str = "message") -> list[dict[str, Any]]:
    """The next documents of a kind at a topic."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(PATIENCE_S):
        async for message in client.messages:
            document = json.loads(bytes(message.payload))
            found += [document] if document["type"] == kind else []
            if len(found) == count:
                break
    return found


async def received_until_disconnected(client: aiomqtt.Client) -> list[Any]:
    """Return what a client receives until the broker closes its connection."""
    found: list[Any] = []
    async with asyncio.timeout(PATIENCE_S):
        try:
            async for message in client.messages:
                found.append(json.loads(bytes(message.payload)))  # noqa: PERF401 - what came before the end is kept
        except aiomqtt.MqttError:
            pass
    return found


async def test_a_message_is_pushed_to_the_topic_that_the_interface_names(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    opened = await ticket_for(app, "customer", order)
    assert opened.topic == f"haulier/order-chat/{app.clients['demo']}/{order}"
    async with listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        first = await said(app, "driver", order, "I am here")
        await app.answer("driver", "send_chat_message", {"order_id": order, "quick_reply": "at_the_door"})
        await app.work_off()
        text, reply = await heard(client, 2)
    assert (text["id"], text["previous_id"], text["role"], text["name"]) == (first.id, None, "driver", "Driver")
    assert (reply["previous_id"], reply["texts"]["fr"]) == (first.id, "Je suis devant la porte.")


async def test_read_marks_are_pushed(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    message = await said(app, "driver", order, "I am here")
    await app.work_off()
    opened = await ticket_for(app, "driver", order)
    async with listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        await app.answer("customer", "mark_chat_read", {"order_id": order, "read_up_to": message.id})
        await app.work_off()
        (marks,) = await heard(client, 1, "marks")
    assert {"role": "customer", "delivered_up_to": message.id, "read_up_to": message.id} in marks["members"]


async def test_a_ticket_subscribes_only_to_its_own_topic(app: App, broker: Broker) -> None:
    order, other = await make_chat(app), await make_chat(app)
    opened = await ticket_for(app, "customer", order)
    client_id, rival = app.clients["demo"], app.clients["rival"]
    elsewhere = (
        f"haulier/order-chat/{client_id}/{other}",
        f"haulier/order-chat/{rival}/{order}",
        f"haulier/order-chat/{client_id}/+",
        f"haulier/order-chat/+/{order}",
        "haulier/#",
        "#",
        "+/+/+/+",
        f"$share/group/{opened.topic}",
        "$MQTT/#",
        "$SYS/#",
    )
    async with listener(broker, opened.ticket) as client:
        assert {topic: await may_listen(client, topic) for topic in elsewhere} == dict.fromkeys(elsewhere, False)
        assert await may_listen(client, opened.topic)


async def test_connecting_requires_a_ticket_of_the_caller(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    ticket = (await ticket_for(app, "customer", order)).ticket
    for words in (
        {"password": "guessed"},
        {"username": "guessed"},
        {"identifier": "another-name"},
        {"username": "", "password": ""},
        {"username": "haulier", "password": app.tokens["customer"], "identifier": "haulier"},
    ):
        with pytest.raises(aiomqtt.MqttError):
            async with listener(broker, ticket, **words):
                pass


async def test_a_subscriber_cannot_publish_as_another_user(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    honest, forger = [await ticket_for(app, who, order) for who in ("customer", "driver")]
    will = aiomqtt.Will(forger.topic, b'{"type": "message", "text": "a last word"}', qos=1, retain=True)
    forged = b'{"type": "message", "text": "forged"}'
    async with listener(broker, honest.ticket) as client:
        assert await may_listen(client, honest.topic)
        for retain in (False, True):
            async with _forgiving(), listener(broker, forger.ticket) as other:
                await _taken_or_cut_off(other, other.publish(forger.topic, forged, qos=1, retain=retain))
        # Mosquitto ends such a connection without an answer, which the library waits for.
        async with _forgiving(), listener(broker, forger.ticket, will=will, timeout=3) as other:
            await _cut_off_by_a_new_driver(app, order)
            assert await received_until_disconnected(other) == []
        await _cut_off_by_a_new_driver(app, order)
        await said(app, "driver2", order, "true")
        await app.work_off()
        texts = [each["text"] for each in await heard(client, 2)]
        while texts[-1] != "true":
            texts += [each["text"] for each in await heard(client, 1)]
        assert set(texts) == {CUTS_OFF, "true"}
    async with listener(broker, (await ticket_for(app, "customer", order)).ticket) as late:
        assert await may_listen(late, honest.topic)
        await said(app, "driver2", order, "nothing is retained")
        await app.work_off()
        assert [each["text"] for each in await heard(late, 1)] == ["nothing is retained"]


async def _taken_or_cut_off(client: aiomqtt.Client, publish: Coroutine[Any, Any, None]) -> None:
    """A broker says nothing of what it does not pass on, or ends the connection."""
    tasks: set[asyncio.Future[Any]] = {
        asyncio.ensure_future(publish),
        asyncio.ensure_future(received_until_disconnected(client)),
    }
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _cut_off_by_a_new_driver(app: App, order: int) -> None:
    """The forger loses the order; a will accepted by the broker would be published."""
    await set_order(app, order, driver_id=app.ids["driver2"])
    await said(app, "customer", order, CUTS_OFF)
    await app.work_off()


class _forgiving:  # noqa: N801 - reads as a statement
    """A connection that the broker ends also ends its context with an error."""

    async def __aenter__(self) -> None:
        """Nothing yet."""

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        return isinstance(error, aiomqtt.MqttError)


async def test_a_ticket_receives_nothing_after_its_token_is_revoked(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    token = await app.answer("customer", "issue_api_token", {"name": "reader", "scopes": ["orders:read"]})
    app.tokens["reader"] = token.access_token
    opened = await ticket_for(app, "reader", order)
    async with _forgiving(), listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        await app.answer("customer", "revoke_api_token", {"token_id": token.id})
        await said(app, "driver", order, "not for a revoked token")
        await app.work_off()
        assert await received_until_disconnected(client) == []


async def test_a_ticket_can_expire_during_a_connection(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    opened = await ticket_for(app, "customer", order)
    app.clock.forward(minutes=9, seconds=57)
    async with _forgiving(), listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        app.clock.forward(seconds=0 if broker.channel.asks_sign_ins else 3)
        assert await received_until_disconnected(client) == []
    app.clock.forward(seconds=3)
    with pytest.raises(aiomqtt.MqttError):
        async with listener(broker, opened.ticket):
            pass


async def test_users_who_lose_access_to_the_order_are_disconnected_before_the_next_message(
    app: App, broker: Broker
) -> None:
    order = await make_chat(app)
    lost, kept = [await ticket_for(app, who, order) for who in ("driver", "customer")]
    async with listener(broker, kept.ticket) as customer, _forgiving(), listener(broker, lost.ticket) as driver:
        assert await may_listen(customer, kept.topic)
        assert await may_listen(driver, lost.topic)
        await set_order(app, order, driver_id=app.ids["driver2"])
        await said(app, "customer", order, "not for the first driver")
        await app.work_off()
        assert [each["text"] for each in await heard(customer, 1)] == ["not for the first driver"]
        assert await received_until_disconnected(driver) == []
    with pytest.raises(aiomqtt.MqttError):
        async with listener(broker, lost.ticket):
            pass


async def test_a_recipient_subscribes_without_an_account(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    opened = await app.answer(None, "open_delivery_chat_channel", {"access": await recipient_access(app, order)})
    async with listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        await said(app, "driver", order, "I am here")
        await app.work_off()
        assert [each["text"] for each in await heard(client, 1)] == ["I am here"]


async def test_no_message_is_lost_when_the_broker_is_killed(app: App, broker: Broker) -> None:
    order = await make_chat(app)
    opened = await ticket_for(app, "customer", order)
    seen: list[dict[str, Any]] = []
    async with _forgiving(), listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        for number in range(5):
            await said(app, "driver", order, str(number))
        await app.work_off()
        seen += await heard(client, 5)
        broker.kill()
    for number in range(5, 10):
        await said(app, "driver", order, str(number))
        await app.work_off()
    await broker.start()
    async with listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        app.clock.forward(minutes=1)
        await app.work_off()
        seen += await heard(client, 5)
    assert [each["text"] for each in seen] == [str(number) for number in range(10)]
    ids = [each["id"] for each in seen]
    assert [each["previous_id"] for each in seen] == [None, *ids[:-1]]
    assert [each.id for each in await read(app, "customer", order)] == ids


async def test_a_process_killed_before_recording_a_push_repeats_it_in_the_same_order(
    app: App, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = await make_chat(app)
    opened = await ticket_for(app, "customer", order)
    for number in range(3):
        await said(app, "driver", order, str(number))

    async def dies(*_: Any) -> None:
        raise ConnectionResetError("the process is gone")

    async with listener(broker, opened.ticket) as client:
        assert await may_listen(client, opened.topic)
        with monkeypatch.context() as patched:
            patched.setattr(store, "set_pushed", dies)
            await app.work_off()
        app.clock.forward(minutes=1)
        await app.work_off()
        texts = [each["text"] for each in await heard(client, 6)]
    assert list(dict.fromkeys(texts)) == ["0", "1", "2"]


async def test_clients_poll_without_a_broker(app: App) -> None:
    order = await make_chat(app)
    opened = await ticket_for(app, "customer", order)
    assert (opened.ticket, opened.poll_s) == (None, 15)
    await said(app, "driver", order, "I am here")
    assert await app.work_off() == 0
