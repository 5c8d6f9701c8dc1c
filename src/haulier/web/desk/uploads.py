"""Files in forms: sent as `multipart/form-data`, then carried as base64."""

from base64 import b64encode
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request as HttpRequest

from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.forms import FormSchema, form_of
from haulier.web.operations_client import MAX_BODY_BYTES, MAX_FORM_FIELDS, read_form_fields

MULTIPART = "multipart/form-data"
SHOWN_LENGTH = 2_000
"""Maximum length of a text in the shown API request, which cuts base64 files."""
Texts = dict[str, list[str]]


class FormTooLarge(Exception):
    """A form holds more than its operation takes; `most_bytes` is what it may hold."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(most_bytes)
        self.most_bytes = most_bytes


async def read_act_form(request: HttpRequest, operation: Operation[Any, Any] | None) -> Texts:
    """Return the fields of a form by name, with files in base64.

    A file's name and media type fill empty fields beside it. Raises `FormTooLarge`, and `HTTPException` (400, 413).
    """
    texts: Texts = {}
    if operation is None or not request.headers.get("content-type", "").startswith(MULTIPART):
        # Bulk actions carry all records in their form.
        most_bytes = operation.body_limit_bytes if operation else MAX_BODY_BYTES
        for name, text in await read_form_fields(request, most_bytes):
            texts.setdefault(name, []).append(text)
        return texts
    most, length = _most_bytes(operation), request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > most:
        raise FormTooLarge(operation.body_limit_bytes)
    files: dict[str, tuple[UploadFile, str]] = {}
    limits = {"max_files": MAX_FORM_FIELDS, "max_fields": MAX_FORM_FIELDS, "max_part_size": most}
    async with request.form(**limits) as form:
        for name, given in form.multi_items():
            if isinstance(given, str):
                texts.setdefault(name, []).append(given)
            elif given.filename:
                files[name] = given, b64encode(await given.read()).decode()
    for name, (given, content) in files.items():
        texts[name] = [content]
        _fill_in(form_of(operation.request), texts, name, given)
    return texts


def _most_bytes(operation: Operation[Any, Any]) -> int:
    """Return the maximum form size, which includes a previously chosen file."""
    return 2 * operation.body_limit_bytes


def _fill_in(form: FormSchema, texts: Texts, name: str, given: UploadFile) -> None:
    """Fill in name and media type of a file unless given."""
    beside, place = form.beside(name), name[: name.rfind(".") + 1]
    file_name = PurePath((given.filename or "").replace("\\", "/")).name
    told = {
        "name": file_name,
        "file_name": file_name,
        "media_type": given.content_type or "",
        "format": PurePath(file_name).suffix.removeprefix(".").lower(),
    }
    for sibling, text in told.items():
        known = sibling in beside and text in form.resolved(beside[sibling]).get("enum", [text])
        if known and text and not any(texts.get(place + sibling, ())):
            texts[place + sibling] = [text]


def shortened(value: Any) -> Any:
    """Values as a page shows them: long texts are cut."""
    if isinstance(value, str) and len(value) > SHOWN_LENGTH:
        return f"{value[:40]}…"
    if isinstance(value, Mapping):
        return {name: shortened(each) for name, each in value.items()}
    return [shortened(each) for each in value] if isinstance(value, list) else value
