"""Resource subscriptions (`subscriptions/listen` of 2026-07-28).

As for live lists (docs/decisions/interfaces.md), a resource is read again at every notice of its channel, and every ten
seconds without one. Each read runs through the pipeline as the caller. Callers are therefore only notified of resources
that they may read, and a revoked token ends the stream.
"""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY, ResourceUpdated, event_to_notification
from sse_starlette.sse import AppStatus

from haulier.api.mcp.feature_calls import find_operation, member_at, request_of
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.resources import FoundResource, Resources, resource_bytes
from haulier.api.mcp.server_features import TemplateResource
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations.declaration import EventStream, Rest
from haulier.kernel.pipeline.result import OperationResult

MAX_FOLLOWED = 20
"""Maximum number of resources per stream. The acknowledgement names the followed ones."""
POLL_INTERVAL_S = 10.0
MAX_STREAM_S = 900.0
"""Maximum seconds of a stream. The client subscribes again, possibly at another process."""
LOOK_INTERVAL_S = 1.0
"""Interval in seconds to check for a server shutdown."""


class Followed(NamedTuple):
    """A followed resource, with the digest of its last content."""

    found: FoundResource
    digest: bytes


class Subscriptions:
    """The subscription streams of one server."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def listen(
        self, context: Any, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Acknowledge the followed resources, then notify of each change.

        Ends when the client disconnects or after `MAX_STREAM_S`.
        """
        request, woken = request_of(context), asyncio.Event()
        meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: context.request_id}
        followed: dict[str, Followed] = {}
        unlisten: list[Callable[[], None]] = []
        try:
            for uri in dict.fromkeys(params.notifications.resource_subscriptions or ()):
                if len(followed) < MAX_FOLLOWED and (
                    each := await self._open_subscription(request, uri, woken, unlisten)
                ):
                    followed[uri] = each
            await _acknowledge(context, list(followed), meta)
            await self._tell(context, request, followed, woken, meta)
        finally:
            for stop in unlisten:
                stop()
        return types.SubscriptionsListenResult(_meta=meta)

    async def _open_subscription(
        self, request: McpRequest, uri: str, woken: asyncio.Event, unlisten: list[Callable[[], None]]
    ) -> Followed | None:
        """Follow a resource; None if it has no stream or the caller has no access."""
        found = self._resources.find(uri)
        if found is None or not isinstance(found.resource, TemplateResource) or found.resource.follow is None:
            return None
        result = await self._resources.ask(request, found)
        if result.error is not None:
            return None
        stream, subject = _subject(request, found, result)
        if subject is None:
            return None
        unlisten.append(await request.app.database.listen(stream.channel, lambda _: woken.set(), subject))
        return Followed(found, _digest(found, result))

    async def _tell(
        self,
        context: Any,
        request: McpRequest,
        followed: dict[str, Followed],
        woken: asyncio.Event,
        meta: dict[str, Any],
    ) -> None:
        ends = asyncio.get_running_loop().time() + MAX_STREAM_S
        while followed and await _waited(woken, ends):
            for uri, each in list(followed.items()):
                result = await self._resources.ask(request, each.found)
                if result.error is not None:
                    del followed[uri]
                elif (digest := _digest(each.found, result)) != each.digest:
                    followed[uri] = each._replace(digest=digest)
                    told = event_to_notification(ResourceUpdated(uri=uri), meta)
                    await context.session.send_notification(told, related_request_id=context.request_id)


async def _acknowledge(context: Any, uris: list[str], meta: dict[str, Any]) -> None:
    honoured = types.SubscriptionFilter(resource_subscriptions=uris or None)
    told = types.SubscriptionsAcknowledgedNotificationParams(notifications=honoured, _meta=meta)
    acknowledged = types.SubscriptionsAcknowledgedNotification(params=told)
    await context.session.send_notification(acknowledged, related_request_id=context.request_id)


async def _waited(woken: asyncio.Event, ends: float) -> bool:
    """Wait for a notice or the next poll; returns False when the stream must end."""
    clock = asyncio.get_running_loop().time
    until = min(clock() + POLL_INTERVAL_S, ends)
    while not woken.is_set() and clock() < until and not AppStatus.should_exit:
        try:
            async with asyncio.timeout(LOOK_INTERVAL_S):
                await woken.wait()
        except TimeoutError:
            continue
    woken.clear()
    return clock() < ends and not AppStatus.should_exit


def _subject(request: McpRequest, found: FoundResource, result: OperationResult) -> tuple[EventStream, str | None]:
    """Return the stream of a resource, and the subject of its notices."""
    follow = found.resource.follow  # type: ignore[attr-defined]
    operation = find_operation(request, follow.stream)
    stream = next(
        interface.event_stream
        for interface in operation.interfaces
        if isinstance(interface, Rest) and interface.event_stream
    )
    value = found.variables[follow.by] if follow.by else member_at(result.answer, follow.by_answer)
    if value is None:
        return stream, None
    subject = stream.notice_value(str(value))
    return stream, client_subject(result.client_id, subject) if stream.of_client else subject


def _digest(found: FoundResource, result: OperationResult) -> bytes:
    return hashlib.sha256(resource_bytes(found.resource, result)).digest()
