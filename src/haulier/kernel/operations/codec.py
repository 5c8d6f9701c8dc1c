"""Decoding of requests and encoding of answers.

The only module that depends on the libraries involved.

pydantic validates requests and reports every error at once with a stable code. JSON is read strictly (the string "5"
is not an integer); values of the path and query are read as text.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, get_args, get_origin

import msgspec
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, from_json

from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.entering import ENTERING
from haulier.kernel.operations.errors import INVALID_REQUEST, MALFORMED_JSON, FieldError
from haulier.kernel.operations.hidden_characters import remove_hidden_from_json, remove_hidden_from_texts
from haulier.kernel.operations.rows import move_errors_to_rows
from haulier.kernel.operations.text_safety import strip_unstorable, strip_unstorable_texts
from haulier.kernel.operations.validation import list_field_errors, validate_document


def parse_request(
    kind: type[Request], body: bytes, texts: Mapping[str, Any], foreign: Sequence[FieldError] = ()
) -> Request:
    """Build a request from a body and from texts of the path, query and headers.

    `foreign` are errors found outside the body. Raises `INVALID_REQUEST` with all field errors, including text that
    no database can store (`text_safety.py`). Invisible characters are removed first (`hidden_characters.py`).
    """
    in_body: tuple[FieldError, ...] = ()
    if body and not kind.is_document:
        body, in_body = strip_unstorable(remove_hidden_from_json(body, kind.raw_text_fields), kind.raw_text_fields)
    texts = remove_hidden_from_texts(texts)
    texts, in_texts = strip_unstorable_texts(texts)
    found = (*foreign, *in_texts, *in_body)
    try:
        request = _validate_request(kind, body, texts)
    except ValidationError as error:
        field_errors = list_field_errors(kind, error)
        if field_errors[0].code == "field.json_invalid":
            raise MALFORMED_JSON() from None
        named = {fault.field for fault in found}
        unnamed = [fault for fault in field_errors if fault.field not in named]
        raise INVALID_REQUEST.for_fields(*found, *unnamed) from None
    if found and kind.judged_rows:
        request, found = move_errors_to_rows(request, found)
    if found:
        raise INVALID_REQUEST.for_fields(*found)
    return request


def _validate_request(kind: type[Request], body: bytes, texts: Mapping[str, Any]) -> Request:
    if kind.is_document:
        return kind.model_validate({**texts, "document": body}, context=ENTERING)
    if texts and not body and not any(isinstance(text, list) for text in texts.values()):
        return kind.model_validate_strings(texts, context=ENTERING)
    # `model_validate_strings` does not accept lists, such as a repeated query parameter.
    return validate_document(kind, _merge_texts_into_body(kind, body or b"{}", texts) if texts else body or b"{}")


def parse_request_values(kind: type[Request], values: Mapping[str, Any]) -> Request:
    """Build a request from values that an interface has already parsed from JSON."""
    return parse_request(kind, encode_json(values), {})


def wrap_json_document(name: str, body: bytes) -> bytes:
    """Wrap a JSON document as the only member of an object. Keeps an empty body.

    Raises `MALFORMED_JSON`.
    """
    try:
        return encode_json({name: msgspec.json.decode(body, type=msgspec.Raw)}) if body else body
    except (msgspec.DecodeError, RecursionError):
        raise MALFORMED_JSON() from None


def _merge_texts_into_body(kind: type[Request], body: bytes, texts: Mapping[str, Any]) -> bytes:
    try:
        document = from_json(body)
    except ValueError:
        raise MALFORMED_JSON() from None
    if not isinstance(document, dict):
        return body  # strict validation reports what was expected
    named = {name: _parse_text_value(kind, name, text) for name, text in texts.items()}
    return encode_json({**document, **named})


def _parse_text_value(kind: type[Request], name: str, text: Any) -> Any:
    """Convert a path or query text to its field's JSON value.

    Returns invalid text unchanged, for validation to report.
    """
    adapter = _field_adapter(kind, name)
    if adapter is None:
        return text
    if isinstance(text, list):
        return [_parse_item(_item_adapter(kind, name), item) for item in text]
    return _parse_item(adapter, text)


def fits_field(kind: type[BaseModel], name: str, value: Any) -> bool:
    """Return True if a field accepts a JSON value."""
    adapter = _field_adapter(kind, name)
    return adapter is not None and _takes(adapter, value)


def _takes(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_json(encode_json(value), strict=True, context=ENTERING)
    except ValidationError:
        return False
    return True


def read_form_text(kind: type[BaseModel], name: str, text: str) -> Any:
    """Return the value of a form text, which is JSON unless the field is a string."""
    if fits_field(kind, name, text):
        return text
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    return value if isinstance(value, dict | list) or fits_field(kind, name, value) else text


def _parse_item(adapter: TypeAdapter[Any], text: Any) -> Any:
    try:
        # Keep a valid text as it is, because dumping would mask a secret.
        return text if _takes(adapter, text) else adapter.dump_python(adapter.validate_strings(text), mode="json")
    except (ValidationError, PydanticSerializationError):
        return text


@lru_cache(maxsize=4096)
def _field_adapter(kind: type[BaseModel], name: str) -> TypeAdapter[Any] | None:
    field = _field_called(kind, name)
    if field is None or field.annotation is None:
        return None
    annotated: Any = Annotated
    kind_of_field: Any = annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return TypeAdapter[Any](kind_of_field)


def _field_called(kind: type[BaseModel], name: str) -> FieldInfo | None:
    """Return the field with a name, which may be an alias."""
    return next((field for own, field in kind.model_fields.items() if name == (field.alias or own)), None)


@lru_cache(maxsize=4096)
def _item_adapter(kind: type[Request], name: str) -> TypeAdapter[Any]:
    """Return the adapter for the items of a list, which may be optional."""
    field = _field_called(kind, name)
    annotation = field.annotation if field else None
    lists = [part for part in (annotation, *get_args(annotation)) if get_origin(part) in (list, tuple)]
    return TypeAdapter[Any](get_args(lists[0])[0] if lists else str)


_encoder = msgspec.json.Encoder()
encode_json = _encoder.encode
"""Encode an answer or plain values as JSON."""


def decode_answer(kind: type[Answer], document: bytes) -> Answer:
    """Return the answer that `encode_json` encoded."""
    return _decoder(kind).decode(document)


@lru_cache(maxsize=4096)
def _decoder(kind: type[Answer]) -> msgspec.json.Decoder[Answer]:
    return msgspec.json.Decoder(kind)


def to_plain_values(answer: Any) -> Any:
    """Convert an answer to dicts, lists and strings."""
    return msgspec.to_builtins(answer, enc_hook=msgspec.json.decode)  # the hook decodes `Raw` values
