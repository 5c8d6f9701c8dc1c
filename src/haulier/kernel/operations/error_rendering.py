"""The one form of an error body, in the caller's language. Every door renders its errors from this."""

from typing import Any

from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.errors import FieldError, OperationError

MAX_LISTED_ERRORS = 100
"""At most this many field errors are listed, so that a hostile request cannot make a huge answer."""


def render_error(error: OperationError, catalogues: Catalogues, language: str, request_id: str) -> dict[str, Any]:
    """`{"result": false, "message", "code", "errors": [{"field", "code", "message"}], "request_id"}`."""
    error_type = error.error_type
    return {
        "result": False,
        "message": catalogues.translate(language, error_type.id, **error.params),
        "code": error_type.code,
        "errors": [
            render_field_error(field_error, catalogues, language)
            for field_error in error.field_errors[:MAX_LISTED_ERRORS]
        ],
        "request_id": request_id,
        **error_type.body,
    }


def render_field_error(field_error: FieldError, catalogues: Catalogues, language: str) -> dict[str, str]:
    """One field error as an object, with its message."""
    code = field_error.code.rpartition(".")[2].upper()
    return {
        "field": field_error.field,
        "code": code,
        "message": catalogues.translate(language, field_error.code, **field_error.params),
    }
