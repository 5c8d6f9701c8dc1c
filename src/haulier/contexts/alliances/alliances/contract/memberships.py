"""What goes in and out of alliances and their members."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.alliances.alliances.rules import AllianceMemberState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, Note, Reason, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

BusinessCode = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._-]+$", examples=["partner"])]


class CreateAlliance(Request):
    """A new alliance; we are its founder and first member."""

    name: Name = Field(examples=["Same-day couriers of Ontario"])
    """What members call it."""
    note: Note | None = None
    """What members should know: its purpose, whom to call."""


class AllianceRef(Request):
    """Which alliance."""

    alliance_id: RecordId
    """The alliance's id."""


class UpdateAlliance(AllianceRef):
    """What to change of an alliance. What is left out stays."""

    name: Name | None = None
    """What members call it."""
    note: Note | None = None
    """What members should know."""


class EndAlliance(AllianceRef):
    """An alliance to end for all."""

    reason: Reason | None = None
    """Why; all members see it."""


class InviteAllianceMember(AllianceRef):
    """Whom to invite."""

    business: BusinessCode
    """The code of the other business."""


class RemoveAllianceMember(AllianceRef):
    """Who has to go, or is no longer invited."""

    business: BusinessCode
    """The code of the member."""
    reason: Reason | None = None
    """Why; all members see it."""


class LeaveAlliance(AllianceRef):
    """An alliance to leave."""

    reason: Reason | None = None
    """Why; all members see it."""


class ListAlliances(PageRequest):
    """Which alliances to list."""

    state: AllianceMemberState | None = None
    """Only those in which we stand so."""


class ListAllianceMembers(PageRequest):
    """Whose members to list."""

    alliance_id: RecordId
    """The alliance's id."""
    state: AllianceMemberState | None = None
    """Only those who stand so."""


class Alliance(Answer):
    """An alliance, from our side."""

    id: int
    name: str
    note: str | None
    founder: Annotated[str, doc("The code of the business that founded it.")]
    state: Annotated[AllianceMemberState, doc("Where we stand in it.")]
    members: Annotated[int, doc("How many belong to it.")]
    created_at: datetime
    invited_at: datetime
    joined_at: datetime | None
    ended_at: Annotated[datetime | None, doc("When it ended for all.")]
    reason: Annotated[str | None, doc("Why it ended.")]


class AllianceMember(Answer):
    """A business in an alliance."""

    business: Annotated[str, doc("Its code.")]
    founder: bool
    state: AllianceMemberState
    invited_at: datetime
    joined_at: datetime | None
    left_at: datetime | None
    reason: Annotated[str | None, doc("Why it went.")]


class AllianceAnswer(Answer):
    """One alliance."""

    result: bool = True
    alliance: Alliance


class AllianceMemberAnswer(Answer):
    """One member."""

    result: bool = True
    member: AllianceMember


class AllianceList(PagedAnswer):
    """A page of alliances, newest first."""

    alliances: list[Alliance]


class AllianceMemberList(PagedAnswer):
    """A page of members, in the order in which they were invited."""

    members: list[AllianceMember]
