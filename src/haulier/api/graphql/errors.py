"""GraphQL errors with the code, status, field errors and request id of REST."""

import logging
from typing import Any

from graphql import GraphQLError

from haulier.api.graphql.document_cache import InvalidDocument, invalid_document
from haulier.api.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import INTERNAL_ERROR, OperationError

log = logging.getLogger("haulier.graphql")


def error_body_entry(body: dict[str, Any], status: int) -> dict[str, Any]:
    """Return an error body as message and extensions."""
    extensions = {name: value for name, value in body.items() if name not in {"message", "result"}}
    return {"message": body["message"], "extensions": {**extensions, "status": status}}


def operation_error_entry(app: Application, operation_error: OperationError, headers: RequestHeaders) -> dict[str, Any]:
    """Return an operation error as message and extensions, in the caller's language."""
    body = render_error(
        operation_error, app.catalogues, negotiate_language(headers.accept_language), headers.request_id
    )
    return error_body_entry(body, operation_error.error_type.status)


def document_error_entries(app: Application, error: OperationError, headers: RequestHeaders) -> list[dict[str, Any]]:
    """Return an entry for each error of an invalid document, with its location."""
    if isinstance(error, InvalidDocument):
        return [executor_error_entry(app, fault, headers) for fault in error.faults]
    return [operation_error_entry(app, error, headers)]


def executor_error_entry(app: Application, error: GraphQLError, headers: RequestHeaders) -> dict[str, Any]:
    """Return the entry for an error of the executor.

    Internal errors are logged and their text is hidden. Only top-level fields take arguments, so an error at a deeper
    path is always internal.
    """
    entry: dict[str, Any] = dict(error.formatted)
    if error.extensions:
        return entry
    if isinstance(error.original_error, GraphQLError | None) and len(error.path or ()) < 2:
        return {**entry, **operation_error_entry(app, invalid_document(error.message), headers)}
    log.error("a field failed", exc_info=error.original_error or error, extra={"request_id": headers.request_id})
    return {**entry, **operation_error_entry(app, INTERNAL_ERROR(request_id=headers.request_id), headers)}
