"""Stored errors.

They hold message ids, so that each reader gets them in their own language.
"""

from typing import Any

import msgspec
from msgspec import Struct

from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.error_rendering import render_field_error
from haulier.kernel.operations.errors import FieldError, OperationError


class StoredError(Struct, frozen=True):
    """An error as stored in a row."""

    id: str
    params: dict[str, Any]
    fields: list[FieldError] = []


class RenderedError(Struct, frozen=True):
    """An error in a reader's language."""

    code: str
    message: str
    fields: list[dict[str, str]]


def error_document(error: OperationError) -> dict[str, Any]:
    """Return an error as a plain document."""
    return msgspec.to_builtins(StoredError(error.error_type.id, dict(error.params), list(error.field_errors)))


def render_stored_error(document: Any, catalogues: Catalogues, language: str) -> RenderedError:
    """Render a stored error in a language."""
    error = msgspec.convert(document, StoredError)
    return RenderedError(
        code=error.id.rpartition(".")[2].upper(),
        message=catalogues.translate(language, error.id, **error.params),
        fields=[render_field_error(each, catalogues, language) for each in error.fields],
    )
