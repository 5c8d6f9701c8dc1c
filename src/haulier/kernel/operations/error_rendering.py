"""The one form of an error body, in the caller's language. Every door renders its errors from this."""

import re
from typing import Any

from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, Catalogues
from haulier.kernel.operations.errors import FieldError, OperationError

MAX_LISTED_ERRORS = 100
"""At most this many field errors are listed, so that a hostile request cannot make a huge answer."""
_OPERATION_NAME = re.compile(r"`([a-z_]+)`")
"""How a hint marks the names of operations."""
_LIST_INDEX = re.compile(r"\.\d+")


def render_error(error: OperationError, catalogues: Catalogues, language: str, request_id: str) -> dict[str, Any]:
    """`{"result": false, "message", "code", "errors": [{"field", "code", "message"}], "request_id"}`.

    Where there is a next step, `hint` says it and `next` holds the names of the operations that it names.
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
    """The next step after an error, from the catalogues: of the error at one of its fields, else of the error itself."""
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
    """One field error as an object, with its message."""
    code = field_error.code.rpartition(".")[2].upper()
    return {
        "field": field_error.field,
        "code": code,
        "message": catalogues.translate(language, field_error.code, **field_error.params),
    }
