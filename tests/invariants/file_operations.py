"""Operations that take a file, for tests that walk over them."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from haulier.app import registry
from haulier.contexts.documents.public import FileUpload
from haulier.kernel.operations.declaration import DocumentRequest

FILE_LENGTH = 200_000
"""A text that may be longer is a file."""
NOT_OPENED = {
    "create_firmware_release": "Devices read it. The server compares its digest and stores it.",
    "verify_document": "Its digest is compared and its bytes are searched for numbers.",
    "verify_webhook_signature": "Its digest is compared.",
    "ingest_epcis": "Elements and attributes are counted before it is parsed, which is linear; nothing can be declared.",
    "ingest_timelines": "JSON with a bound on its parts.",
    "receive_payment_event": "JSON of at most a megabyte, whose signature is checked first.",
    "receive_sms_event": "A form of at most 64 KB.",
}


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models within a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models(part)


def takes_file(model: type[BaseModel], seen: tuple[type[BaseModel], ...] = ()) -> bool:
    """Return True if a request takes a document, base64 or a text of file size."""
    if model in seen:
        return False
    if issubclass(model, DocumentRequest):
        return True
    for field in model.model_fields.values():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        longest = max((getattr(each, "max_length", 0) or 0 for each in field.metadata), default=0)
        if "contentEncoding" in extra or longest > FILE_LENGTH:
            return True
        if any(takes_file(inner, (*seen, model)) for inner in models(field.annotation)):
            return True
    return False


def takes_picture(model: type[BaseModel]) -> bool:
    """Return True if a request is or has an uploaded file."""
    fields = model.model_fields.values()
    return issubclass(model, FileUpload) or any(
        takes_picture(each) for field in fields for each in models(field.annotation)
    )


OPERATIONS = [each for each in registry() if takes_file(each.request) and each.name not in NOT_OPENED]
DOCUMENTS = [each for each in OPERATIONS if issubclass(each.request, DocumentRequest)]
PICTURES = [each for each in OPERATIONS if takes_picture(each.request)]
TABLES = [each for each in OPERATIONS if each not in DOCUMENTS and each not in PICTURES]
