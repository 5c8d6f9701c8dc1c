"""Names are one line and email addresses are bare in every field of a request."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from haulier.app import registry
from haulier.kernel.operations.field_docs import DocumentedModel

NAMES = {
    "name",
    "company",
    "recipient",
    "neighbour",
    "client_name",
    "business_name",
    "billing_name",
    "tax_name",
    "label",
}
FILES = {
    "FileUpload",
    "PictureUpload",
    "CreateFirmwareRelease",
    "UploadProof",
    "SendChatPhoto",
    "SendDeliveryChatPhoto",
    "AddPackagePhoto",
}
"""The name of a file is cleaned where the file is stored: `tests/contexts/documents/test_file_rules.py`."""
LOOKED_UP = {"Login", "RequestPasswordReset", "DescribeOperation"}
"""The text is compared with stored values and is never stored itself."""
TWO_LINES, IN_BRACKETS = "Ada\r\nBcc: x\x0bLovelace", "<ada@x.example>"


def fields() -> Iterator[tuple[str, str, FieldInfo]]:
    """Yield every field of every request model, including nested ones."""
    models, seen = [operation.request for operation in registry()], set[type]()
    while models:
        model = models.pop()
        if model not in seen:
            seen.add(model)
            for name, field in model.model_fields.items():
                yield model.__name__, name, field
                models += [kind for kind in nested(field.annotation) if issubclass(kind, DocumentedModel)]


def nested(annotation: Any) -> Iterator[type[Any]]:
    if isinstance(annotation, type):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from nested(part)


def accepted(field: FieldInfo, text: str) -> str | None:
    """Return the text as the field stores it, or None if it is refused."""
    annotated: Any = field.rebuild_annotation()
    try:
        kept = TypeAdapter[Any](annotated).validate_python(text, strict=True)
    except ValidationError:
        return None
    return kept if isinstance(kept, str) else None


def test_every_name_is_stored_on_one_line_or_refused() -> None:
    broken = [
        f"{model}.{name}"
        for model, name, field in fields()
        if name in NAMES
        and model not in FILES | LOOKED_UP
        and (kept := accepted(field, TWO_LINES))
        and not kept.isprintable()
    ]
    assert broken == []


def test_every_email_address_is_a_bare_address() -> None:
    taken = [
        f"{model}.{name}"
        for model, name, field in fields()
        if "email" in name and model not in LOOKED_UP and accepted(field, IN_BRACKETS)
    ]
    assert taken == []
    assert any("email" in name and accepted(field, "ada@x.example") for _, name, field in fields())
