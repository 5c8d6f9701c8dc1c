"""Error bodies in the caller's language, shared by all interfaces."""

import re
from typing import Any

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, Catalogues
from haulier.kernel.operations.errors import FieldError, OperationError

MAX_LISTED_ERRORS = 100
"""Maximum number of listed field errors, so that a hostile request cannot cause a huge answer."""
_OPERATION_NAME = re.compile(r"`([a-z_]+)`")
"""Names of operations in a hint."""
_LIST_INDEX = re.compile(r"\.\d+")


def render_error(error: OperationError, catalogues: Catalogues, language: str, request_id: str) -> dict[str, Any]:
    """Return an error body: `result`, `message`, `code`, `errors`, `request_id`.

    If there is a next step, `hint` describes it, and `next` lists the operations that it names.
    """
    error_type = error.error_type
    return {
        "result": False,
        "message": catalogues.translate(language, error_type.id, **error.params),
        "code": error_type.code,
        "errors": [
            render_field_error(field_error, catalogues, language)
            for field_error in error.field_errors[:MAX_LISTED_ERRORS]
        ],
        **_render_hint(error, catalogues, language),
        "request_id": request_id,
        **error_type.body,
    }


def _render_hint(error: OperationError, catalogues: Catalogues, language: str) -> dict[str, Any]:
    """Return the hint for an error: that of one of its fields, or of the error itself."""
    id = error.error_type.id
    fields = (_LIST_INDEX.sub("", field_error.field) for field_error in error.field_errors)
    ids = [*(f"hint.{id}.{field}" for field in fields), f"hint.{id}"]
    known = catalogues.words(DEFAULT_LANGUAGE)
    hint_id = next((each for each in ids if each in known), None)
    if hint_id is None:
        return {}
    hint = catalogues.translate(language, hint_id)
    return {"hint": hint.replace("`", ""), "next": _OPERATION_NAME.findall(hint)}


def render_field_error(field_error: FieldError, catalogues: Catalogues, language: str) -> dict[str, str]:
    """Return a field error with its message."""
    code = field_error.code.rpartition(".")[2].upper()
    return {
        "field": field_error.field,
        "code": code,
        "message": catalogues.translate(language, field_error.code, **field_error.params),
    }
