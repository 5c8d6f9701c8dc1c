"""Who may open a file: office staff, whoever uploaded it, and those whom the context of its record allows."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from haulier.contexts.documents.files.store import FileRow
from haulier.kernel.call import Call
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
    """Let `async (call, record_id) -> bool` say who else may open files about records of a kind.

    `scope` is what any caller's token needs for them. Without `office` the office has to be allowed as others are.
    Raises `ValueError` when a kind is registered twice.
    """

    def declare(may_see: MayOpenFile) -> MayOpenFile:
        if kind in _file_access_rules:
            raise ValueError(f"the access rule for files about a {kind} is registered twice")
        _file_access_rules[kind] = FileAccessRule(scope, may_see, office)
        return may_see

    return declare


async def require_file_access(call: Call, row: FileRow) -> None:
    """Raises `NOT_FOUND` for a file that the caller may not open, `SCOPE_MISSING` for a token without the scope."""
    rule = _file_access_rules.get(row.about_kind)
    mine = call.actor is not None and row.uploaded_by == call.actor
    office = call.principal.account in OFFICE and (rule is None or rule.office)
    if not (office or mine or (rule and await rule.may_see(call, row.about_id))):
        raise NOT_FOUND()
    scope = rule.scope if rule else Scope.ACCOUNT_READ
    if scope not in call.principal.scopes:
        raise SCOPE_MISSING(scopes=scope.value)
