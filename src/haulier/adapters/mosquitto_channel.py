"""A broker of MQTT: Mosquitto with its dynamic-security plugin, which keeps who may come in, and to what.

It asks nobody at a sign-in. So it is told of each ticket, as a client of its own with a role of its own that names topics one
by one, and told to forget the ticket when it ends; that cuts whoever uses it. Needs the extra `streams`.
"""

import asyncio
import base64
import contextlib
import hashlib
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

import msgspec

from haulier.contexts.messaging.ports import (
    FRAMES_WAITING,
    ChannelFrame,
    ChannelGrant,
    ChannelUnavailable,
    CheckSignIn,
    TakeFrame,
)

if TYPE_CHECKING:
    import aiomqtt

CONTROL, ANSWERS = "$CONTROL/dynamic-security/v1", "$CONTROL/dynamic-security/v1/response"
OWN_NAME = "haulier"
PORTS: Mapping[str, int] = {"mqtt": 1883, "mqtts": 8883}
SEND_TIMEOUT_S, RETRY_S = 5.0, 0.5
PENDING_UNREMARKED = 1_000_000
"""The library remarks on ten that wait for their acknowledgement; here hundreds do."""
SALT_BYTES, HASH_ROUNDS = 12, 101
"""As the plugin makes them. The password is 24 random bytes, which many rounds would not make safer."""
SETTLED = ("already exists", "not found")
"""What the plugin says of a command that somebody gave before; nothing is left to do then."""
log = logging.getLogger("haulier.channel")


class MosquittoChannel:
    """Mosquitto as the broker of MQTT, connected when it is first used, and anew after a failure."""

    configured, asks_sign_ins = True, False

    def __init__(self, server: str, addresses: tuple[str, ...], prefix: str) -> None:
        """`server` is a URL: `mqtt://name:password@host:1883`, or `mqtts://`."""
        self.addresses, self.prefix = addresses, prefix
        self._server = server
        self._link: _Link | None = None
        self._connecting = asyncio.Lock()

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """See `Channel`."""
        async with _unavailable():
            await (await self._connected()).send(topic, payloads)

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """See `Channel`. Each of the plugin's commands rewrites its file, so there are two of them and no more."""
        heard = [_right("subscribeLiteral", topic) for topic in grant.subscribe]
        spoken = [_right("publishClientSend", topic) for topic in grant.publish]
        client = {"username": username, "clientid": username, "password": password}
        await self._order(
            {"command": "createRole", "rolename": username, "acls": [*heard, *spoken]},
            {"command": "createClient", **client, "roles": [{"rolename": username}]},
        )

    async def disconnect(self, connection: str) -> None:
        """See `Channel`; here a connection is the name of its ticket, which then opens nothing any more."""
        await self._order(
            {"command": "deleteClient", "username": connection}, {"command": "deleteRole", "rolename": connection}
        )

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """See `Channel`. This broker does not ask."""

    async def take_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """See `Channel`. What is published while no process listens is gone."""
        waiting = {topic: asyncio.Queue[ChannelFrame | None](FRAMES_WAITING) for topic in topics}
        takers = [asyncio.create_task(_take_each(queue, take)) for queue in waiting.values()]
        try:
            while True:
                try:
                    await self._listen(waiting)
                except ChannelUnavailable as error:
                    log.warning("the broker is away, nobody is heard: %s", error)
                    await asyncio.sleep(RETRY_S)
        finally:
            for queue in waiting.values():
                await queue.put(None)
            await asyncio.gather(*takers)

    async def _listen(self, waiting: Mapping[str, "asyncio.Queue[ChannelFrame | None]"]) -> None:
        """Hear what the broker hands this process, until it goes away. Raises `ChannelUnavailable`."""
        import aiomqtt

        try:
            async with _client(self._server) as client:
                for topic in waiting:
                    answers = cast("Sequence[Any]", await client.subscribe(f"$share/{OWN_NAME}/{topic}", qos=1))
                    if any(answer.is_failure for answer in answers):
                        raise ChannelUnavailable(f"may not listen to {topic}")
                async for message in client.messages:
                    frame = ChannelFrame(topic=str(message.topic), payload=bytes(message.payload))
                    for topic, queue in waiting.items():
                        if message.topic.matches(topic) and not queue.full():
                            queue.put_nowait(frame)
        except (aiomqtt.MqttError, OSError) as error:
            raise ChannelUnavailable(str(error) or type(error).__name__) from error

    async def close(self) -> None:
        """Close the connection."""
        link, self._link = self._link, None
        if link:
            await link.close()

    async def _order(self, *commands: dict[str, Any]) -> None:
        async with _unavailable():
            await (await self._connected()).order(commands)

    async def _connected(self) -> "_Link":
        async with self._connecting:
            if self._link and not self._link.alive:
                await self.close()
            if self._link is None:
                self._link = await _Link.open(self._server)
            return self._link


def _right(kind: str, topic: str) -> dict[str, Any]:
    return {"acltype": kind, "topic": topic, "priority": 0, "allow": True}


async def _take_each(waiting: "asyncio.Queue[ChannelFrame | None]", take: TakeFrame) -> None:
    """Take frames in their order, until there is None."""
    while (frame := await waiting.get()) is not None:
        try:
            await take(frame)
        except Exception:
            log.exception("a frame on %s could not be taken", frame.topic)


def _client(server: str) -> "aiomqtt.Client":
    """A connection of this process, under a name of its own."""
    import aiomqtt

    at = urlsplit(server)
    client = aiomqtt.Client(
        at.hostname or "localhost",
        at.port or PORTS[at.scheme],
        username=unquote(at.username or OWN_NAME),
        password=unquote(at.password or ""),
        identifier=f"{OWN_NAME}-{secrets.token_hex(8)}",
        protocol=aiomqtt.ProtocolVersion.V5,
        timeout=SEND_TIMEOUT_S,
        tls_params=aiomqtt.TLSParameters() if at.scheme == "mqtts" else None,
    )
    client.pending_calls_threshold = PENDING_UNREMARKED
    return client


class _Link:
    """One connection to the broker, and what is waited for on it."""

    def __init__(self, client: "aiomqtt.Client", stack: contextlib.AsyncExitStack) -> None:
        self._client, self._stack = client, stack
        self._waited: dict[str, asyncio.Future[str | None]] = {}
        self._reading = asyncio.create_task(self._read(), name="channel answers")

    @classmethod
    async def open(cls, server: str) -> "_Link":
        """Connect. Raises `MqttError`."""
        async with contextlib.AsyncExitStack() as stack:
            client = await stack.enter_async_context(_client(server))
            await client.subscribe(ANSWERS, qos=1)
            return cls(client, stack.pop_all())

    @property
    def alive(self) -> bool:
        """Whether the broker is still there, as far as is known."""
        return not self._reading.done()

    async def send(self, topic: str, payloads: Sequence[bytes]) -> None:
        """Publish in this order, and wait until the broker has everything."""
        sent: list[Awaitable[None]] = [self._client.publish(topic, payload, qos=1) for payload in payloads]
        await asyncio.gather(*sent)

    async def order(self, commands: Sequence[dict[str, Any]]) -> None:
        """Give commands to the plugin, and wait for what it says. Raises `ChannelUnavailable` for what it refuses."""
        named = {secrets.token_hex(8): command for command in commands}
        loop = asyncio.get_running_loop()
        answers = {name: loop.create_future() for name in named}
        self._waited.update(answers)
        try:
            listed = [{**command, "correlationData": name} for name, command in named.items()]
            await self._client.publish(CONTROL, msgspec.json.encode({"commands": listed}), qos=1)
            for name, answer in answers.items():
                error = await answer
                if error and not error.endswith(SETTLED):
                    raise ChannelUnavailable(f"{named[name]['command']}: {error}")
        finally:
            for name in answers:
                self._waited.pop(name, None)

    async def _read(self) -> None:
        try:
            async for message in self._client.messages:
                self._hear(bytes(message.payload))
        finally:
            for answer in self._waited.values():
                if not answer.done():
                    answer.set_exception(ChannelUnavailable("the broker is away"))

    def _hear(self, payload: bytes) -> None:
        for response in msgspec.json.decode(payload).get("responses", ()):
            answer = self._waited.get(response.get("correlationData", ""))
            if answer and not answer.done():
                answer.set_result(response.get("error"))

    async def close(self) -> None:
        """End the connection, whatever its state."""
        import aiomqtt

        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        with contextlib.suppress(aiomqtt.MqttError):
            await self._stack.aclose()


@asynccontextmanager
async def _unavailable() -> AsyncGenerator[None]:
    """Turns every failure of the broker into `ChannelUnavailable`, and waits for it no longer than `SEND_TIMEOUT_S`."""
    import aiomqtt

    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            yield
    except ChannelUnavailable:
        raise
    except (aiomqtt.MqttError, OSError) as error:
        raise ChannelUnavailable(str(error) or type(error).__name__) from error


def broker_config(rights_file: str, *, host: str, plugin: str, websocket: bool = True) -> str:
    """The configuration of a Mosquitto whose programs come in with our tickets alone."""
    web = f"""
# Behind a proxy that speaks TLS.
listener 8080 {host}
protocol websockets
"""
    return f"""# mosquitto -c haulier-channel.conf
per_listener_settings false
allow_anonymous false
persistence false
retain_available false
plugin {plugin}
plugin_opt_config_file {rights_file}
# With TLS: certfile …, keyfile … below the listener.
listener 1883 {host}
{web if websocket else ""}"""


def broker_rights(password: str, prefix: str) -> str:
    """What the plugin knows at first: this service alone, which may publish and tell it of tickets."""
    salt = secrets.token_bytes(SALT_BYTES)
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, HASH_ROUNDS)
    access = {"publishClientSend": False, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}
    control, ours, shared = "$CONTROL/dynamic-security/#", f"{prefix}/#", f"$share/{OWN_NAME}/{prefix}/#"
    acls = [
        *(_right(kind, control) for kind in ("publishClientSend", "publishClientReceive", "subscribePattern")),
        _right("publishClientSend", ours),
        _right("subscribePattern", shared),
    ]
    client = {
        "username": OWN_NAME,
        "textName": "The service",
        "password": base64.b64encode(hashed).decode(),
        "salt": base64.b64encode(salt).decode(),
        "iterations": HASH_ROUNDS,
        "roles": [{"rolename": OWN_NAME}],
    }
    roles = [{"rolename": OWN_NAME, "acls": acls}]
    rights = {"defaultACLAccess": access, "clients": [client], "groups": [], "roles": roles}
    return msgspec.json.format(msgspec.json.encode(rights), indent=2).decode()
