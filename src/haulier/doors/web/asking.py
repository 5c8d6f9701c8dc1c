"""Calling operations from the pages: with the token of the session, in the language of the page, and forms as they come."""

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from haulier.doors.headers import Headers
from haulier.doors.web.session import Session, house_of
from haulier.doors.web.words import language_of
from haulier.kernel.pipeline import Knock, Outcome, handle

DOOR = "web"
FORM_MAX_BYTES = 65_536
FIELDS_MAX = 100


async def ask(
    request: Request, operation: str, values: dict[str, str] | None = None, *, session: Session | None = None
) -> Outcome:
    """The outcome of an operation. A form that asks for it is the confirmation; headers of other doors mean nothing here."""
    house, headers = house_of(request), Headers.of(request.scope)
    knock = Knock(
        operation=house.registry[operation],
        door=DOOR,
        request_id=headers.request_id,
        texts=values or {},
        token=session.token if session else None,
        accept_language=language_of(request),
        address=headers.address,
        agent=headers.agent,
        confirmed=True,
    )
    return await handle(house, knock)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form that was sent; of a repeated one the last. Raises `HTTPException` for one that is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_MAX_BYTES:
            raise HTTPException(413)
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        raise HTTPException(400) from None


def faults(outcome: Outcome, **renamed: str) -> dict[str, str]:
    """What is wrong with each field, in words; by the name that the field has on the page."""
    found: list[dict[str, str]] = (outcome.error or {}).get("errors", [])
    return {renamed.get(fault["field"], fault["field"]): fault["message"] for fault in found}
