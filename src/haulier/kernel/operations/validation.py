"""Conversion of pydantic's validation errors to field errors."""

from typing import Any, TypeVar

import msgspec
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.entering import ENTERING
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.name_hints import unknown_field
from haulier.kernel.operations.pattern_words import pattern_words
from haulier.kernel.operations.whole_numbers import with_whole_numbers

R = TypeVar("R", bound=Request)


def validate_document(kind: type[R], document: bytes) -> R:
    """Validate JSON strictly, accepting `1.0` as an integer. Raises `ValidationError`."""
    try:
        return kind.model_validate_json(document, strict=True, context=ENTERING)
    except ValidationError as error:
        mended = with_whole_numbers(
            document, error.errors(include_url=False, include_input=False, include_context=False)
        )
        if mended is None:
            raise
    return kind.model_validate_json(msgspec.json.encode(mended), strict=True, context=ENTERING)


def list_field_errors(kind: type[Request], error: ValidationError) -> list[FieldError]:
    """Return all validation errors of a request in order."""
    return [_field_error(kind, detail) for detail in error.errors(include_url=False, include_input=False)]


_LISTS = {"List", "Tuple", "Set", "Frozenset", "Dictionary"}
"""Names that pydantic uses for collections. A secret reports the same error as a list, but has characters."""


def _field_error(kind: type[Request], detail: ErrorDetails) -> FieldError:
    place, context = ".".join(map(str, detail["loc"])), detail.get("ctx", {})
    match detail["type"]:
        case "extra_forbidden":
            return unknown_field(kind, detail["loc"])
        case "string_pattern_mismatch":
            return FieldError(place, *pattern_words(context["pattern"]))
        case "string_too_short" | "too_short" if context["min_length"] == 1 and context.get("field_type") not in _LISTS:
            return FieldError(place, f"field.empty.{detail['type']}")
        case code:
            return FieldError(place, f"field.{code}", _message_params(context))


def _message_params(context: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Exception) else value for name, value in context.items()}
