"""Push notifications for Apple devices, through the APNs provider API.

Uses HTTP/2 and provider tokens signed with ES256. See
developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns.
"""

import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit
from uuid import NAMESPACE_URL, uuid5

import msgspec

from haulier.adapters.http_client import open_client
from haulier.contexts.chat.ports import PushGone, PushNote, PushRefused, PushTarget
from haulier.late_import import LateModule
from haulier.settings import InvalidSetting

if TYPE_CHECKING:
    import httpx
    from joserfc import jwk, jwt
else:
    httpx = LateModule("httpx")
    jwk, jwt = map(LateModule, ("joserfc.jwk", "joserfc.jwt"))

KEPT_S = 4 * 3600
TIMEOUT_S, IDLE_S = 10.0, 600.0
TOKEN_LASTS_S, TOKEN_AT_LEAST_S = 50 * 60, 20 * 60
"""APNs rejects tokens older than one hour, and tokens renewed more often than every 20 minutes."""
GONE_REASONS = frozenset({"BadDeviceToken", "Unregistered", "ExpiredToken"})
TOKEN_ENDED = "ExpiredProviderToken"
LATER = frozenset({408, 429})


class ApnsAccount(msgspec.Struct, frozen=True, kw_only=True):
    """Signing key of a developer team, and the app that receives notifications.

    `key` is the content of the `.p8` file.
    """

    url: str
    key: str
    key_id: str
    team: str
    topic: str


class _Refusal(msgspec.Struct):
    """Error response of APNs.

    `timestamp` is the time since which a device token has been invalid, in milliseconds since the epoch.
    """

    reason: str = ""
    timestamp: int | None = None


class ApplePushes:
    """Client of the Apple Push Notification service.

    One connection stays open, as Apple recommends.
    """

    def __init__(
        self,
        account: ApnsAccount,
        clock: Callable[[], float] = time.time,
        certificates: ssl.SSLContext | None = None,
    ) -> None:
        """Read the signing key. Raises `InvalidSetting` if it is invalid.

        `certificates` replaces the certificates that are trusted by default.
        """
        self._account, self._clock, self._certificates = account, clock, certificates
        self._token, self._signed_at = "", 0.0
        self._http: httpx.AsyncClient | None = None
        try:
            _ = self._key
        except ValueError as error:
            raise InvalidSetting(f"setting 'push_apns' names no key of Apple's: {error}") from None

    @cached_property
    def _key(self) -> "jwk.ECKey":
        return jwk.ECKey.import_key(self._account.key)

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """See `PhonePusher`."""
        url = f"{self._account.url}/3/device/{quote(target.address, safe='')}"
        headers = {"authorization": f"bearer {self._signed()}", **self._identifying_headers(target, note)}
        answer = await self._post(url, msgspec.json.encode(_payload(note)), headers)
        if answer.status_code != 200:
            self._judge(answer.status_code, _refusal(answer.content))

    async def close(self) -> None:
        """Close the connection. The next push opens a new one."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> "httpx.Response":
        """Send a request, reconnecting if the open connection has ended.

        Raises `OSError`.
        """
        kept = self._http is not None
        try:
            return await self._client().post(url, content=body, headers=headers)
        except httpx.HTTPError as error:
            await self.close()
            if not kept or isinstance(error, httpx.TimeoutException):
                raise OSError(f"the push service did not answer: {error!r}") from error
        return await self._post(url, body, headers)

    def _client(self) -> "httpx.AsyncClient":
        if self._http is None:
            limits = httpx.Limits(max_connections=1, keepalive_expiry=IDLE_S)
            http2 = {"http1": False, "http2": True}
            self._http = open_client(certificates=self._certificates, **http2, limits=limits, timeout=TIMEOUT_S)
        return self._http

    def _signed(self) -> str:
        now = self._clock()
        if not 0 <= now - self._signed_at < TOKEN_LASTS_S:
            header = {"alg": "ES256", "kid": self._account.key_id}
            self._token = jwt.encode(header, {"iss": self._account.team, "iat": int(now)}, self._key)
            self._signed_at = now
        return self._token

    def _identifying_headers(self, target: PushTarget, note: PushNote) -> dict[str, str]:
        """Return the headers that identify a notification.

        A retry has the same ID. On the device, a new notification replaces the previous one of the same order.
        """
        return {
            "apns-id": str(uuid5(NAMESPACE_URL, f"{target.address} {note.type} {note.order_id} {note.message_id}")),
            "apns-topic": self._account.topic,
            "apns-push-type": "alert",
            "apns-priority": "10",
            "apns-expiration": str(int(self._clock()) + KEPT_S),
            "apns-collapse-id": f"order-{note.order_id}",
        }

    def _judge(self, status: int, refusal: _Refusal) -> None:
        said = f"Apple said {status} {refusal.reason}"
        if refusal.reason in GONE_REASONS or status == 410:
            since = None if refusal.timestamp is None else datetime.fromtimestamp(refusal.timestamp / 1000, UTC)
            raise PushGone(said, since=since)
        if refusal.reason == TOKEN_ENDED:
            if self._clock() - self._signed_at >= TOKEN_AT_LEAST_S:
                self._signed_at = 0.0
            raise OSError(said)
        if 400 <= status < 500 and status not in LATER:
            raise PushRefused(said)
        raise OSError(said)


def _payload(note: PushNote) -> dict[str, Any]:
    shown = {
        "alert": {"title": note.title, "body": note.body},
        "sound": "default",
        "thread-id": f"order-{note.order_id}",
    }
    told = {"order_id": note.order_id, "message_id": note.message_id, "page": note.page}
    return {"aps": shown, "type": note.type, **told}


def _refusal(body: bytes) -> _Refusal:
    try:
        return msgspec.json.decode(body, type=_Refusal)
    except msgspec.DecodeError:
        return _Refusal()


def apple_account(setting: str) -> ApnsAccount:
    """Return the APNs account described by the setting `push_apns`.

    The format is `https://api.push.apple.com?key=AuthKey.p8&key_id=…&team=…&topic=…`. Raises `InvalidSetting` if a
    parameter is missing or the key file cannot be read.
    """
    parts = urlsplit(setting)
    words = dict(parse_qsl(parts.query))
    try:
        named = {name: words[name] for name in ("key_id", "team", "topic")}
        key = Path(words["key"]).read_text("utf-8")
    except (KeyError, OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"setting 'push_apns' names no key, key_id, team and topic: {error}") from None
    return ApnsAccount(url=f"{parts.scheme}://{parts.netloc}", key=key, **named)
