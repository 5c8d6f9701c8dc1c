"""Live updates of lists, records and handmade pages.

A stream sends the rows of a list, the facts of a record or the live part of a page whenever they change. The state is
read at every change notice and at every poll; readers with the same view share one read, so a hundred open pages cost
one. `desk-live.js` decides how to show the change.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import json
from starlette.responses import Response

from haulier.kernel.data.notices import client_subject
from haulier.kernel.pipeline.audit import RECORDS_CHANNEL
from haulier.web.desk.bookings import BOOKINGS
from haulier.web.desk.customers import CUSTOMERS_PART
from haulier.web.desk.day_list import DAY_LIST
from haulier.web.desk.fleet import FLEET_PART
from haulier.web.desk.insights import INSIGHTS
from haulier.web.desk.lists import read_list
from haulier.web.desk.live_parts import LEAST_BETWEEN_S, LivePart
from haulier.web.desk.pages import DeskRequest, state_of
from haulier.web.desk.places import declarations, record_kind
from haulier.web.desk.records import find_record, record_part
from haulier.web.desk.shop import SHOP
from haulier.web.desk.today import TODAY
from haulier.web.i18n import page_language
from haulier.web.session import WebSession, app_of, current_session
from haulier.web.sse import CurrentState, Heard, stream_states

LIVE_PARTS: dict[str, LivePart] = {
    each.name: each for each in (TODAY, SHOP, BOOKINGS, INSIGHTS, DAY_LIST, CUSTOMERS_PART, FLEET_PART)
}
"""Live parts of handmade pages. Pages of modules add more."""


def view_of(desk: DeskRequest, session: WebSession) -> tuple[Any, ...]:
    """Return the caller's view: staff share one, others have their own."""
    seen = (session.client_id, session.account, None if session.office else session.user_id, session.scopes)
    return (*seen, session.features, session.modules, session.time_zone, page_language(desk.request))


async def live_list(desk: DeskRequest) -> Response:
    """The rows of a list, whenever they change."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    if noun is None or not desk.may(noun.listing) or desk.live_address(noun.listing, "") is None:
        return Response(status_code=404)

    async def rows() -> str | None:
        listed = await read_list(desk, noun)
        return None if listed.result.error else desk.part("desk_rows.html", table=listed.table, picks=bool(listed.many))

    return await _stream(desk, (record_kind(noun),), rows)


async def live_record(desk: DeskRequest) -> Response:
    """Stream the facts of a record whenever they change."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    shown = noun and (noun.record or noun.listing)
    named = len(desk.request.path_params["ids"].split("/"))
    if (
        noun is None
        or shown is None
        or named != len(noun.ids)
        or not desk.may(shown)
        or desk.live_address(shown, "") is None
    ):
        return Response(status_code=404)

    async def record() -> str | None:
        found, _ = await find_record(desk, noun)
        return None if found is None else record_part(desk, noun, found)

    return await _stream(desk, (record_kind(noun), *declarations().heard_with.get(noun.key, ())), record)


async def live_part(desk: DeskRequest) -> Response:
    """The part that lives of a page made by hand, whenever it changes."""
    return await stream_part(desk, LIVE_PARTS.get(desk.request.path_params["part"]))


async def stream_part(desk: DeskRequest, part: LivePart | None) -> Response:
    """Stream a live part of a handmade page whenever it changes."""
    if part is None or not part.may_live(desk):
        return Response(status_code=404)

    async def html() -> str | None:
        found = await part.load(desk)
        return None if found is None else desk.part(part.template, **found)

    return await _stream(desk, part.about, html, part.pause_s, part.also(desk))


async def _stream(
    desk: DeskRequest,
    kinds: tuple[str, ...],
    part: Callable[[], Awaitable[str | None]],
    pause_s: float = LEAST_BETWEEN_S,
    also: Sequence[Heard] = (),
) -> Response:
    async def state() -> str | None:
        html = await part()
        return None if html is None else json.encode({"state": state_of(html), "html": html}).decode()

    seen = desk.texts.pop("seen", [""])[-1]
    told = [Heard(RECORDS_CHANNEL, client_subject(desk.session.client_id, kind)) for kind in kinds]
    return await stream_as_seen(desk, [*told, *also], state, known=f'"state":"{seen}"', pause_s=pause_s)


async def stream_as_seen(
    desk: DeskRequest, heard: Sequence[Heard], state: CurrentState, *, known: str = "", pause_s: float = LEAST_BETWEEN_S
) -> Response:
    """Stream the states of an address while the session keeps its view.

    States are read once for all readers with the same view.
    """
    view = view_of(desk, desk.session)

    async def may_read() -> bool:
        present = await current_session(desk.request)
        return present is not None and view_of(desk, present) == view

    asked = urlencode(sorted(desk.texts.items()), doseq=True)
    first, *others = heard
    return await stream_states(
        app_of(desk.request),
        first.channel,
        first.subject,
        state,
        shared_by=(*view, desk.request.url.path, asked),
        may_read=may_read,
        known=known,
        pause_s=pause_s,
        also=others,
    )
