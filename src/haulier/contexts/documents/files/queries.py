"""Reads of files for other families."""

import hashlib
from collections.abc import Awaitable, Callable, Collection

from msgspec import Struct
from sqlalchemy import ColumnElement

from haulier.contexts.documents.files import store
from haulier.contexts.documents.files.actions import delete_files
from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED, storage_key
from haulier.contexts.documents.files.store import FileRow, files
from haulier.contexts.documents.ports import ObjectStore
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, key_in, personal_data
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPE_MISSING

MayOpenFile = Callable[[Call, int], Awaitable[bool]]


class FileAccessRule(Struct, frozen=True):
    """The permission check for files about one kind of record."""

    scope: Scope
    may_see: MayOpenFile
    office: bool = True


_file_access_rules: dict[str, FileAccessRule] = {}


def register_file_access(kind: str, scope: Scope, *, office: bool = True) -> Callable[[MayOpenFile], MayOpenFile]:
    """Register who else may open files about a kind of record.

    The decorated `async (call, record_id) -> bool` decides. `scope` is required from every caller's token. Without
    `office`, staff are checked like others. Raises `ValueError` when a kind is registered twice.
    """

    def declare(may_see: MayOpenFile) -> MayOpenFile:
        if kind in _file_access_rules:
            raise ValueError(f"the access rule for files about a {kind} is registered twice")
        _file_access_rules[kind] = FileAccessRule(scope, may_see, office)
        return may_see

    return declare


async def require_file_access(call: Call, row: FileRow) -> None:
    """Require access to a file. Raises `NOT_FOUND` and `SCOPE_MISSING`."""
    rule = _file_access_rules.get(row.about_kind)
    mine = call.actor is not None and row.uploaded_by == call.actor
    office = call.principal.account in OFFICE and (rule is None or rule.office)
    if not (office or mine or (rule and await rule.may_see(call, row.about_id))):
        raise NOT_FOUND()
    scope = rule.scope if rule else Scope.ACCOUNT_READ
    if scope not in call.principal.scopes:
        raise SCOPE_MISSING(scopes=scope.value)


class FileFacts(Struct, frozen=True, kw_only=True):
    """Metadata of a file for other contexts. `size` is in bytes, `sha256` hexadecimal."""

    id: int
    media_type: str
    size: int
    sha256: str
    name: str | None


async def get_file_facts(call: Call, ids: Collection[int]) -> dict[int, FileFacts]:
    """Return the files of this client among some ids, in one statement."""
    return {
        row.id: FileFacts(id=row.id, media_type=row.media_type, size=row.size_bytes, sha256=row.sha256, name=row.name)
        for row in await store.list_file_rows(call.work, ids)
    }


async def is_same_file(call: Call, file_id: int, upload: FileUpload) -> bool:
    """Return True if an upload is what a file of this client was stored from."""
    row = await FileRow.get(call.work, file_id)
    digest = hashlib.sha256(upload.decoded).hexdigest()
    return row is not None and digest in (row.sha256, row.original_sha256)


async def get_file_content(call: Call, file_id: int) -> bytes:
    """Return the bytes of a file of this client; the caller checks access.

    Raises `NOT_FOUND`, `FILE_AWAY` when the object store does not answer, `FILE_DAMAGED` when the stored bytes changed.
    """
    row = await store.get_file_row_with_content(call.work, file_id)
    if row is None:
        raise NOT_FOUND()
    return await load_file_bytes(call, row)


async def get_file_part(call: Call, file_id: int, first: int, length: int) -> bytes:
    """Return bytes of a file from `first` on, without checking the digest.

    Raises the errors of `get_file_content`.
    """
    row = await store.get_file_row_with_part(call.work, file_id, first, length)
    if row is None:
        raise NOT_FOUND()
    if row.content is not None:
        return row.content
    try:
        content = await call.adapter(ObjectStore).get_part(storage_key(row), first, length)
    except KeyError:
        raise FILE_DAMAGED(file_id=row.id) from None
    except OSError:
        raise FILE_AWAY(file_id=row.id) from None
    if len(content) != length:
        raise FILE_DAMAGED(file_id=row.id)
    return content


async def load_file_bytes(call: Call, row: store.FileContentRow) -> bytes:
    """Return the bytes of a file from its row or the object store.

    Raises the errors of `get_file_content`.
    """
    if row.content is not None:
        return row.content
    try:
        content = await call.adapter(ObjectStore).get(storage_key(row))
    except KeyError:
        raise FILE_DAMAGED(file_id=row.id) from None
    except OSError:
        raise FILE_AWAY(file_id=row.id) from None
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise FILE_DAMAGED(file_id=row.id)
    return content


AboutPeople = Callable[[ColumnElement[int], PersonKeys], ColumnElement[bool] | None]
"""Returns the condition for records about a person."""


def declare_personal_files(about: str, key: PersonKey, kind: RecordKind) -> None:
    """Declare files about a kind of record as personal data.

    Example: `("stop", PersonKey.STOP, RecordKind.PROOFS)`.
    """
    declare_files_of_people(about, kind, lambda ids, keys: key_in(ids, key, keys))


def declare_files_of_people(about: str, kind: RecordKind, of_people: AboutPeople) -> None:
    """Declare files as personal data for records without the key as their id."""

    def find(keys: PersonKeys) -> ColumnElement[bool] | None:
        condition = of_people(files.c.about_id, keys)
        return None if condition is None else (files.c.about_kind == about) & condition

    personal_data(files, kind, find=find, remove=delete_files)
