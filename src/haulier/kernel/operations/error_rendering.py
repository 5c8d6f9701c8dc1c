"""How a refusal reads: the one error body, in the caller's language. Every door renders its errors from this."""

from typing import Any

from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.errors import FieldError, OperationError

MAX_LISTED_ERRORS = 100
"""At most this many faults are listed, so that a hostile request cannot make a huge answer."""


def render_error(refusal: OperationError, catalogues: Catalogues, language: str, request_id: str) -> dict[str, Any]:
    """`{"result": false, "message", "code", "errors": [{"field", "code", "message"}], "request_id"}`."""
    error_type = refusal.error_type
    return {
        "result": False,
        "message": catalogues.translate(language, error_type.id, **refusal.params),
        "code": error_type.code,
        "errors": [
            render_field_error(fault, catalogues, language) for fault in refusal.field_errors[:MAX_LISTED_ERRORS]
        ],
        "request_id": request_id,
        **error_type.body,
    }


def render_field_error(fault: FieldError, catalogues: Catalogues, language: str) -> dict[str, str]:
    """One fault of one field, in words."""
    code = fault.code.rpartition(".")[2].upper()
    return {"field": fault.field, "code": code, "message": catalogues.translate(language, fault.code, **fault.params)}
