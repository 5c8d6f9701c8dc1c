"""MQTT broker of the NATS server, with sign-ins checked by its auth callout.

Clients use MQTT 3.1.1 over TCP or WebSocket, and this service publishes over the NATS protocol. Each client receives a NATS
credential that lists its topics, allows only MQTT, and expires with its ticket. The server stores no data of the service.
Requires the extra `streams`.
"""

import asyncio
import base64
import binascii
import hashlib
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import msgspec

from haulier.contexts.messaging.ports import (
    FRAMES_WAITING,
    ChannelFrame,
    ChannelGrant,
    ChannelSignIn,
    ChannelUnavailable,
    CheckSignIn,
    TakeFrame,
)
from haulier.kernel.background.keyed_queues import KeyedQueues
from haulier.late_import import LateModule
from haulier.settings import InvalidSetting

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription
else:
    ed25519 = LateModule("cryptography.hazmat.primitives.asymmetric.ed25519")

ACCOUNT, SYSTEM_ACCOUNT, SYSTEM_USER = "HAULIER", "SYS", "haulier_system"
SIGN_INS, PROCESSES = "$SYS.REQ.USER.AUTH", "haulier"
CONNECT_TIMEOUT_S, SEND_TIMEOUT_S, RETRY_S = 2.0, 5.0, 0.5
SIGN_IN_S = 2.0
"""Default time that the NATS server waits for the response to a sign-in. Later responses are useless."""
SEED_PREFIX, ACCOUNT_PREFIX = 18 << 3, 0
"""Prefixes of NATS keys: a seed starts with S, followed by the kind of its key. A is an account."""
MQTT_OWN = ("$MQTT.sub.>", "$MQTT.deliver.pubrel.>")
"""Subjects that the broker uses internally for clients with QoS 1. MQTT clients cannot subscribe to them."""
log = logging.getLogger("haulier.channel")


def make_account_seed() -> str:
    """Create a key that signs the responses to sign-ins."""
    return _seed_text(ed25519.Ed25519PrivateKey.generate().private_bytes_raw())


def _seed_text(raw: bytes) -> str:
    return _checked_text(bytes((SEED_PREFIX | ACCOUNT_PREFIX >> 5, (ACCOUNT_PREFIX & 31) << 3)) + raw)


def _checked_text(raw: bytes) -> str:
    return base64.b32encode(raw + binascii.crc_hqx(raw, 0).to_bytes(2, "little")).decode().rstrip("=")


class NatsAccountKey:
    """Key of a NATS account, which signs documents that the broker trusts."""

    def __init__(self, seed: str) -> None:
        """Read a seed. Raises `InvalidSetting` if it is not an account seed."""
        try:
            raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
        except binascii.Error:
            raw = b""
        if len(raw) != 36 or _seed_text(raw[2:34]) != seed:
            raise InvalidSetting("setting 'channel_key' is no seed of an account; haulier channel config makes one")
        self._key = ed25519.Ed25519PrivateKey.from_private_bytes(raw[2:34])
        self.public = _checked_text(bytes((ACCOUNT_PREFIX,)) + self._key.public_key().public_bytes_raw())

    def sign(self, claims: dict[str, Any]) -> str:
        """Return a signed document in the JWT format of NATS."""
        whole = {"iss": self.public, "iat": int(time.time()), **claims}
        whole["jti"] = hashlib.sha256(msgspec.json.encode(whole)).hexdigest()
        head, body = _part({"typ": "JWT", "alg": "ed25519-nkey"}), _part(whole)
        return f"{head}.{body}.{_base64(self._key.sign(f'{head}.{body}'.encode()))}"


def _part(document: dict[str, Any]) -> str:
    return _base64(msgspec.json.encode(document))


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _claims(token: bytes) -> dict[str, Any]:
    """Return the claims of a signed document.

    The signature is not checked, because the document arrives over an authenticated connection.
    """
    body = token.split(b".")[1]
    return msgspec.json.decode(base64.urlsafe_b64decode(body + b"=" * (-len(body) % 4)))


def to_subject(topic: str) -> str:
    """Return the NATS subject of an MQTT topic or topic filter."""
    return topic.replace("/", ".").replace("+", "*").replace("#", ">")


def to_topic(subject: str) -> str:
    """Return the MQTT topic of a NATS subject."""
    return subject.replace(".", "/")


@dataclass(frozen=True)
class _WaitingSignIn:
    """Pending sign-in. `since` is its time of arrival (monotonic seconds)."""

    msg: "Msg"
    asked: dict[str, Any]
    sign_in: ChannelSignIn
    since: float


class NatsChannel:
    """Connection to the NATS server as an MQTT broker, opened on first use."""

    configured = asks_sign_ins = True

    def __init__(self, servers: Sequence[str], key: NatsAccountKey, addresses: tuple[str, ...], prefix: str) -> None:
        self.addresses, self.prefix = addresses, prefix
        self._servers, self._key = list(servers), key
        self._connections: dict[bool, Client] = {}
        self._connecting = asyncio.Lock()

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """See `Channel`.

        Messages can be lost if the broker fails. Clients request missing data when they reconnect.
        """
        async with _unavailable():
            connection = await self._connected()
            for payload in payloads:
                await connection.publish(to_subject(topic), payload)

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """See `Channel`. Does nothing: this broker calls back on sign-in."""

    async def disconnect(self, connection: str) -> None:
        """See `Channel`."""
        server, _, number = connection.partition("/")
        async with _unavailable():
            system = await self._connected(system=True)
            said = msgspec.json.encode({"cid": int(number)})
            # The server ignores messages without a reply subject, so this has to be a request.
            await system.request(f"$SYS.REQ.SERVER.{server}.KICK", said, timeout=SEND_TIMEOUT_S)

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """See `Channel`. If several processes run, one of them answers each sign-in.

        Sign-ins with the same ticket are answered in order, so that the last connection is the recorded one. Other sign-ins
        are answered concurrently: each one is a write, and all clients reconnect at once after an outage of the broker.
        """

        async def answer(waiting: "_WaitingSignIn") -> None:
            if time.monotonic() - waiting.since < SIGN_IN_S:
                await self._answer(waiting, check)

        lanes = KeyedQueues(answer)

        async def put(msg: "Msg") -> None:
            asked = _claims(msg.data)["nats"]
            waiting = _WaitingSignIn(msg, asked, _sign_in(asked), time.monotonic())
            await lanes.put(waiting.sign_in.username, waiting)

        lanes.start()
        try:
            await self._listen([SIGN_INS], put)
        finally:
            await lanes.stop()

    async def receive_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """See `Channel`. Messages published while no process listens are lost."""

        async def hand_over(msg: "Msg") -> None:
            try:
                await take(ChannelFrame(topic=to_topic(msg.subject), payload=msg.data))
            except Exception:
                log.exception("a frame on %s could not be taken", msg.subject)

        await self._listen([to_subject(topic) for topic in topics], hand_over)

    async def _listen(self, subjects: Sequence[str], heard: Callable[["Msg"], Awaitable[None]]) -> None:
        """Receive messages on the subjects until cancelled.

        Each message goes to one process. Messages received before the cancellation are still processed.
        """
        while True:
            try:
                subscriptions = await self._subscribe(subjects, heard)
                break
            except ChannelUnavailable as error:
                log.warning("the broker is unreachable, so no messages arrive: %s", error)
                await asyncio.sleep(RETRY_S)
        try:
            await asyncio.Event().wait()
        finally:
            for subscription in subscriptions:
                with suppress(Exception):
                    await asyncio.wait_for(subscription.drain(), SEND_TIMEOUT_S)

    async def _subscribe(
        self, subjects: Sequence[str], heard: Callable[["Msg"], Awaitable[None]]
    ) -> list["Subscription"]:
        made: list[Subscription] = []
        try:
            async with _unavailable():
                connection = await self._connected()
                options: dict[str, Any] = {"queue": PROCESSES, "cb": heard, "pending_msgs_limit": FRAMES_WAITING}
                for subject in subjects:
                    made += [await connection.subscribe(subject, **options)]
                await connection.flush()
        except BaseException:
            for subscription in made:
                with suppress(Exception):
                    await subscription.unsubscribe()
            raise
        return made

    async def _answer(self, waiting: "_WaitingSignIn", check: CheckSignIn) -> None:
        asked = waiting.asked
        try:
            grant = await check(waiting.sign_in)
        except Exception:
            log.exception("a sign-in could not be checked")
            grant = None
        user = asked["user_nkey"]
        said = {"error": "refused"} if grant is None else {"jwt": self._credential(user, grant)}
        body = {"type": "authorization_response", "version": 2, **said}
        await waiting.msg.respond(self._key.sign({"sub": user, "aud": asked["server_id"]["id"], "nats": body}).encode())

    def _credential(self, user: str, grant: ChannelGrant) -> str:
        heard, spoken = ([to_subject(topic) for topic in topics] for topics in (grant.subscribe, grant.publish))
        rights = {
            "type": "user",
            "version": 2,
            "subs": -1,
            "data": -1,
            "payload": -1,
            "allowed_connection_types": ["MQTT", "MQTT_WS"],
            "pub": {"allow": [*spoken, MQTT_OWN[0]]},
            "sub": {"allow": [*heard, *MQTT_OWN]},
        }
        ends = int(time.time()) + grant.lifetime_s
        return self._key.sign({"sub": user, "aud": ACCOUNT, "exp": ends, "nats": rights})

    async def close(self) -> None:
        """Close the connections."""
        for connection in self._connections.values():
            await connection.close()
        self._connections.clear()

    async def _connected(self, *, system: bool = False) -> "Client":
        from haulier.adapters.nats_client import PatientClient

        async with self._connecting:
            if system not in self._connections:
                options: dict[str, Any] = {"user": SYSTEM_USER, "password": self._password()} if system else {}
                options |= {"connect_timeout": CONNECT_TIMEOUT_S, "reconnect_time_wait": RETRY_S}
                connection = PatientClient()
                await connection.connect(
                    [_without_user(server) for server in self._servers] if system else self._servers,
                    name="haulier",
                    max_reconnect_attempts=-1,
                    allow_reconnect=True,
                    error_cb=_log_error,
                    **options,
                )
                self._connections[system] = connection
            connection = self._connections[system]
        if not connection.is_connected:
            raise ChannelUnavailable("the broker is away")
        return connection

    def _password(self) -> str:
        return unquote(urlsplit(self._servers[0]).password or "")


def _without_user(server: str) -> str:
    scheme, _, rest = server.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _sign_in(asked: dict[str, Any]) -> ChannelSignIn:
    said, client = asked["connect_opts"], asked["client_info"]
    return ChannelSignIn(
        username=said.get("user", ""),
        password=said.get("pass", ""),
        device=client.get("mqtt_id", ""),
        connection=f"{asked['server_id']['id']}/{client['id']}",
    )


@asynccontextmanager
async def _unavailable() -> AsyncGenerator[None]:
    """Convert failures and timeouts of the broker to `ChannelUnavailable`.

    The timeout is `SEND_TIMEOUT_S`.
    """
    from nats.errors import Error

    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            yield
    except ChannelUnavailable:
        raise
    except (Error, OSError) as error:
        raise ChannelUnavailable(str(error) or type(error).__name__) from error


async def _log_error(error: Exception) -> None:
    log.info("the connection to the broker: %s", error or type(error).__name__)


def server_config(key: NatsAccountKey, password: str, *, host: str, websocket: bool = True) -> str:
    """Return a NATS configuration that only accepts clients with tickets."""
    web = f"""
websocket {{
  listen: "{host}:8080"
  no_tls: true  # behind a proxy that speaks TLS; else: tls {{ cert_file: "…", key_file: "…" }}
}}"""
    return f"""# nats-server --config haulier-channel.conf
server_name: haulier-channel
listen: "127.0.0.1:4222"
jetstream {{ store_dir: "haulier-channel" }}
mqtt {{
  listen: "{host}:1883"
  # tls {{ cert_file: "…", key_file: "…" }}
}}{web if websocket else ""}
accounts {{
  {ACCOUNT}: {{ jetstream: enabled, users: [ {{ user: haulier, password: "{password}" }} ] }}
  {SYSTEM_ACCOUNT}: {{ users: [ {{ user: {SYSTEM_USER}, password: "{password}" }} ] }}
}}
system_account: {SYSTEM_ACCOUNT}
authorization {{
  auth_callout {{ issuer: {key.public}, auth_users: [ haulier, {SYSTEM_USER} ], account: {ACCOUNT} }}
}}
"""
