"""Chats keep every message in order while server and broker are killed."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiomqtt
import httpx
from tests.adapters.mqtt_broker import Broker, may_listen
from tests.processes.server_process import PATIENCE_S, ServerProcess, make_admin, make_order, make_server
from tests.support.databases import migrated_file

CHATS, MESSAGES = 2, 40
KILLS_AFTER = (15, 30)
"""Numbers of messages after which the server, and then the broker, is killed."""


class Storm:
    """Writers and listeners that continue across restarts of server and broker."""

    def __init__(self, server: ServerProcess, broker: Broker, admin: dict[str, str]) -> None:
        self.base, self.broker, self.admin = server.base, broker, admin
        self.written: dict[int, list[int]] = {}
        self.heard: dict[int, list[int]] = {}
        self.pushed: dict[int, int] = {}
        self._http = httpx.AsyncClient(timeout=PATIENCE_S)
        self._wrote = asyncio.Event()

    async def ask(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """Return the server's answer, retrying until there is one."""
        while True:
            with suppress(httpx.TransportError):
                url = f"{self.base}/api/v1/{path}"
                told = await self._http.request(method, url, json=body, params=params, headers=self.admin)
                if told.status_code < 500:
                    return told.raise_for_status().json()
            await asyncio.sleep(0.05)

    async def write(self, order_id: int) -> None:
        """Send messages in sequence, repeating unanswered ones under the same name."""
        for number in range(MESSAGES):
            said = {"text": f"message {number}", "client_ref": f"message-{number}"}
            answer = await self.ask("POST", f"order-chats/{order_id}/messages", said)
            self.written[order_id].append(answer["message"]["id"])
            self._wrote.set()

    async def listen(self, order_id: int) -> None:
        """Receive the pushes of a chat, and read missed messages after each interruption."""
        while True:
            with suppress(aiomqtt.MqttError, TimeoutError):
                channel = await self.ask("POST", f"order-chats/{order_id}/channel")
                async with self._client(channel["ticket"]) as client:
                    if not await may_listen(client, channel["topic"]):
                        raise aiomqtt.MqttError("the broker does not know the ticket yet")
                    await self._read_again(order_id)
                    async for message in client.messages:
                        await self._take(order_id, json.loads(bytes(message.payload)))
            await asyncio.sleep(0.1)

    def _client(self, ticket: dict[str, Any]) -> aiomqtt.Client:
        named = {"username": ticket["username"], "password": ticket["password"], "identifier": ticket["client_id"]}
        return aiomqtt.Client(
            "127.0.0.1", self.broker.mqtt_port, protocol=aiomqtt.ProtocolVersion.V311, timeout=PATIENCE_S, **named
        )

    async def _take(self, order_id: int, pushed: dict[str, Any]) -> None:
        """Handle a push: the next message, a known one, or a sign of missed ones."""
        heard = self.heard[order_id]
        if pushed["type"] != "message" or pushed["id"] in heard:
            return
        if pushed["previous_id"] == (heard[-1] if heard else None):
            heard.append(pushed["id"])
            self.pushed[order_id] += 1
        else:
            await self._read_again(order_id)

    async def _read_again(self, order_id: int) -> None:
        listed = await self.ask("GET", f"order-chats/{order_id}/messages", order="oldest", limit=200)
        ids = [message["id"] for message in listed["messages"]]
        heard = self.heard[order_id]
        assert ids[: len(heard)] == heard, "what was heard is the beginning of what is stored"
        heard.extend(ids[len(heard) :])

    @asynccontextmanager
    async def at_work(self, orders: list[int]) -> AsyncGenerator[None]:
        """Run all writers and listeners until everything was written and received."""
        for order_id in orders:
            self.written[order_id], self.heard[order_id], self.pushed[order_id] = [], [], 0
        listeners = [asyncio.create_task(self.listen(order_id)) for order_id in orders]
        writers = [asyncio.create_task(self.write(order_id)) for order_id in orders]
        try:
            yield
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*writers)
                while any(len(heard) < MESSAGES for heard in self.heard.values()):
                    await asyncio.sleep(0.05)
                    assert not any(each.done() for each in listeners)
        finally:
            for each in (*listeners, *writers):
                each.cancel()
            await asyncio.gather(*listeners, *writers, return_exceptions=True)
            await self._http.aclose()

    async def until_written(self, order_id: int, count: int) -> None:
        """Wait until a chat has a number of messages."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.written[order_id]) < count:
                self._wrote.clear()
                await self._wrote.wait()


async def test_no_chat_message_is_lost_when_server_and_broker_are_killed(tmp_path: Path) -> None:
    database = migrated_file(tmp_path)
    admin = await asyncio.to_thread(make_admin, database)
    broker = Broker(tmp_path / "broker")
    shown = {"channel": broker.setting, "channel_key": broker.seed, "rate_limits": "false"}
    settings = {**shown, "channel_address": f"mqtt://127.0.0.1:{broker.mqtt_port}"}
    await broker.start()
    try:
        async with AsyncExitStack() as stack:
            server = await asyncio.to_thread(stack.enter_context, make_server(tmp_path, database, **settings))
            storm = Storm(server, broker, admin)
            await storm.ask("PUT", "client/profile/features/order_chat", {"enabled": True})
            made = [await storm.ask("POST", "client/orderCreate", make_order(f"A-{n}")) for n in range(CHATS)]
            orders = [each["order"]["id"] for each in made]
            async with storm.at_work(orders):
                await storm.until_written(orders[0], KILLS_AFTER[0])
                await asyncio.to_thread(server.kill)
                again = await asyncio.to_thread(stack.enter_context, make_server(tmp_path, database, **settings))
                storm.base = again.base
                await storm.until_written(orders[0], KILLS_AFTER[1])
                broker.kill()
                await broker.start()
    finally:
        await broker.channel.close()
        broker.kill()
    for order_id in orders:
        assert len(set(storm.written[order_id])) == MESSAGES
        assert storm.heard[order_id] == storm.written[order_id] == sorted(storm.written[order_id])
        assert storm.pushed[order_id] > 0, "the broker told of some"
