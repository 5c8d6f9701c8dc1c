"""Who may open a file: people at a desk, whoever handed it in, and those whom the context of its record lets."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPE_MISSING

MayOpenFile = Callable[[Call, int], Awaitable[bool]]


class FileAccessRule(Struct, frozen=True):
    """What a context says of files about its records of one kind."""

    scope: Scope
    may_see: MayOpenFile


_file_access_rules: dict[str, FileAccessRule] = {}


def register_file_access(kind: str, scope: Scope) -> Callable[[MayOpenFile], MayOpenFile]:
    """Let `async (call, record_id) -> bool` say who else may open files about records of a kind.

    `scope` is what any caller's token needs for them. A second word on the same kind is refused, at import.
    """

    def declare(may_see: MayOpenFile) -> MayOpenFile:
        if kind in _file_access_rules:
            raise ValueError(f"who sees files about a {kind} is said twice")
        _file_access_rules[kind] = FileAccessRule(scope, may_see)
        return may_see

    return declare


async def require_file_access(call: Call, row: Any) -> None:
    """A file that the caller may not open is not there. Raises `NOT_FOUND`, or `SCOPE_MISSING` for a narrow token."""
    sight = _file_access_rules.get(row.about_kind)
    mine = call.actor is not None and row.uploaded_by == call.actor
    if not (call.principal.account in OFFICE or mine or (sight and await sight.may_see(call, row.about_id))):
        raise NOT_FOUND()
    scope = sight.scope if sight else Scope.ACCOUNT_READ
    if scope not in call.principal.scopes:
        raise SCOPE_MISSING(scopes=scope.value)
