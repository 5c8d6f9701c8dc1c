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
    """Which entries; an entry must match every filter that is given."""

    operation: AuditWord | None = None
    """The name of an operation, such as `create_order`."""
    user_id: UserId | None = None
    """Who did it."""
    account: UserAccount | None = None
    """The kind of account that did it."""
    door: AuditWord | None = None
    """Through which door: rest, graphql, mcp or web."""
    request_id: Annotated[CallId, Field(min_length=1, max_length=64)] | None = None
    """The id of the call, as its answer named it."""
    address: Annotated[str, Field(min_length=1, max_length=64, examples=["203.0.113.7"])] | None = None
    """The network address it was done from."""
    subject_kind: AuditWord | None = None
    """The kind of record it was done to, such as `order`."""
    subject_id: SubjectRecordId | None = None
    """The id of the record it was done to."""
    since: Moment | None = None
    """Not before this time."""
    until: Moment | None = None
    """Before this time."""


class AuditSubject(Answer):
    """A record that something was done to."""

    kind: Annotated[str, doc("The kind of record", "order")]
    id: int


class AuditEntry(Answer):
    """One write that went through."""

    id: int
    at: datetime
    operation: Annotated[str, doc("The name of the operation", "create_order")]
    user_id: Annotated[UserId | None, doc("Who did it; null for the platform itself")]
    user_name: str | None
    account: Annotated[str, doc("The kind of account they had", "employee")]
    door: Annotated[str, doc("Through which door", "rest")]
    request_id: Annotated[CallId, doc("The id of the call, as its answer named it")]
    address: Annotated[str | None, doc("The network address it was done from, where it is known", "203.0.113.7")]
    agent: Annotated[str | None, doc("What the program said it was (User-Agent), where it did", "Mozilla/5.0")]
    request: Annotated[dict[str, Any], doc("What was asked, without secrets")]
    subjects: Annotated[list[AuditSubject], doc("The records it was done to")]


class AuditEntryList(PagedAnswer):
    """A page of entries, newest first."""

    entries: list[AuditEntry]


class AuditSeal(Answer):
    """The newest seal of the audit trail; it covers all seals before it."""

    result: bool = True
    number: Annotated[int, doc("The number of the seal; 0 before the first one.", 57)]
    sealed_at: datetime | None
    entries: Annotated[int, doc("The number of entries that it names.", 12)]
    digest: Annotated[
        str | None, doc("The digest that `haulier audit verify` shows, too.", "9f2c41d07ab3e85d0c6611f4a2b7d930")
    ]
