"""Errors as GraphQL says them: the code, status, faults and request id of REST stand in `extensions`."""

import logging
from typing import Any

from graphql import GraphQLError

from haulier.doors.graphql.documents import invalid
from haulier.doors.headers import Headers
from haulier.kernel.errors import INTERNAL_ERROR, Refusal
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.rendering import error_body

log = logging.getLogger("haulier.graphql")


def told(body: dict[str, Any], status: int) -> dict[str, Any]:
    """An error body of the house as message and extensions."""
    extensions = {name: value for name, value in body.items() if name not in {"message", "result"}}
    return {"message": body["message"], "extensions": {**extensions, "status": status}}


def refused(house: House, refusal: Refusal, headers: Headers) -> dict[str, Any]:
    """A refusal as message and extensions, in the caller's language."""
    body = error_body(refusal, house.catalogues, negotiate(headers.accept_language), headers.request_id)
    return told(body, refusal.problem.status)


def formatted(house: House, error: GraphQLError, headers: Headers) -> dict[str, Any]:
    """An error of the executor: what an operation said, the caller's mistake, or ours and then told no further.

    Only operations take arguments, so a fault below one of them is never the caller's.
    """
    shown: dict[str, Any] = dict(error.formatted)
    if error.extensions:
        return shown
    if isinstance(error.original_error, GraphQLError | None) and len(error.path or ()) < 2:
        return {**shown, **refused(house, invalid(error.message), headers)}
    log.error("a field failed", exc_info=error.original_error or error, extra={"request_id": headers.request_id})
    return {**shown, **refused(house, INTERNAL_ERROR(request_id=headers.request_id), headers)}
