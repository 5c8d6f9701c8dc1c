"""The audit trail: requests and answers."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from haulier.contexts.identity.fields import UserAccount
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.ids import CallId, SubjectRecordId, UserId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

AuditWord = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[a-z][a-z0-9_]*$")]


class ListAuditEntries(PageRequest):
    """Filters for audit entries. All filters must match."""

    operation: AuditWord | None = None
    """The name of an operation, such as `create_order`."""
    user_id: UserId | None = None
    """Filter by user."""
    account: UserAccount | None = None
    """Filter by account."""
    door: AuditWord | None = None
    """Filter by interface: rest, graphql, mcp or web."""
    request_id: Annotated[CallId, Field(min_length=1, max_length=64)] | None = None
    """ID of the call, as in its response."""
    address: Annotated[str, Field(min_length=1, max_length=64, examples=["203.0.113.7"])] | None = None
    """Network address of the call."""
    subject_kind: AuditWord | None = None
    """Kind of affected record, such as `order`."""
    subject_id: SubjectRecordId | None = None
    """ID of the affected record."""
    since: Moment | None = None
    """Not before this time."""
    until: Moment | None = None
    """Before this time."""


class AuditSubject(Answer):
    """An affected record."""

    kind: Annotated[str, doc("The kind of record", "order")]
    id: int


class AuditEntry(Answer):
    """A successful write."""

    id: int
    at: datetime
    operation: Annotated[str, doc("Name of the operation.", "create_order")]
    user_id: Annotated[UserId | None, doc("User who did it; null for the platform.")]
    user_name: str | None
    account: Annotated[str, doc("Kind of account of the user.", "employee")]
    door: Annotated[str, doc("Interface of the call.", "rest")]
    request_id: Annotated[CallId, doc("ID of the call, as in its response.")]
    address: Annotated[str | None, doc("Network address, if known.", "203.0.113.7")]
    agent: Annotated[str | None, doc("Client program (User-Agent), if stated.", "Mozilla/5.0")]
    request: Annotated[dict[str, Any], doc("Request without secrets.")]
    subjects: Annotated[list[AuditSubject], doc("Affected records.")]


class AuditEntryList(PagedAnswer):
    """A page of entries, newest first."""

    entries: list[AuditEntry]


class AuditSeal(Answer):
    """Newest seal of the audit trail, which covers all earlier ones."""

    result: bool = True
    number: Annotated[int, doc("The number of the seal; 0 before the first one.", 57)]
    sealed_at: datetime | None
    entries: Annotated[int, doc("Number of sealed entries.", 12)]
    digest: Annotated[
        str | None, doc("Digest, as shown by `haulier audit verify`.", "9f2c41d07ab3e85d0c6611f4a2b7d930")
    ]
