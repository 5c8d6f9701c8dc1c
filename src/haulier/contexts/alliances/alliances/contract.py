"""Request and response models of alliances."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.alliances.alliances.rules import (
    AllianceMemberState,
    SharedField,
    SharedNumbers,
    TrackingGrantState,
)
from haulier.contexts.otep.public import Timeline
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, Note, Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.pipeline.reach import SetUpLapse
from haulier.kernel.values.moments import Moment
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


NUMBERS_MAX = 200
SharedNumber = Annotated[str, Field(min_length=1, max_length=100, examples=["HL7XK2M9QA"])]
SharedNumberList = Annotated[tuple[SharedNumber, ...], Field(max_length=NUMBERS_MAX)]
Direction = Literal["given", "received"]


class GrantTracking(AllianceRef):
    """What another member may track for us. It replaces what was granted to them before."""

    business: BusinessCode
    """The code of the other member."""
    numbers: SharedNumbers = SharedNumbers.LISTED
    """`all`: each parcel of ours whose number they know. `listed`: those that we list."""
    tracking_numbers: SharedNumberList = ()
    """The first numbers of the list, at most 200; more are added by `change_shared_numbers`."""
    fields: Annotated[tuple[SharedField, ...], Field(max_length=len(SharedField))] = ()
    """What they see beyond a recipient's page."""
    expires_at: Moment | None = None
    """Until when; without an end when left out."""


class TrackingGrantRef(Request):
    """Which grant."""

    grant_id: RecordId
    """The grant's id."""


class ChangeSharedNumbers(TrackingGrantRef):
    """Numbers to put on the list of a grant, or to take off it."""

    add: SharedNumberList = ()
    """Numbers to share; those that are listed already stay. At most 200."""
    remove: SharedNumberList = ()
    """Numbers to share no longer. At most 200."""


class ListSharedNumbers(PageRequest):
    """Whose numbers to list."""

    grant_id: RecordId
    """The grant's id."""


class ListTrackingGrants(PageRequest):
    """Which grants to list."""

    direction: Direction | None = None
    """Only what we gave, or received."""
    alliance_id: RecordId | None = None
    """Only those under this alliance."""
    in_force: bool | None = None
    """Only those that hold now, or that do not."""


class ListAccessibleClients(PageRequest):
    """Which page."""


class GetAlliedTrackings(Request):
    """Whose parcels, by their numbers."""

    business: BusinessCode
    """The code of the member whose parcels they are."""
    tracking_numbers: Annotated[tuple[SharedNumber, ...], Field(min_length=1, max_length=NUMBERS_MAX)]
    """At most 200; theirs, or those that carriers gave."""


class ListAllianceReads(PageRequest):
    """Which reads to list."""

    direction: Direction = "given"
    """Reads of our parcels (`given`), or reads by us (`received`)."""
    business: BusinessCode | None = None
    """Only reads by, or of, this business."""
    tracking_number: SharedNumber | None = None
    """Only reads of this number."""
    since: Moment | None = None
    """Only reads from this moment on."""


class TrackingGrant(Answer):
    """What one member may track for another."""

    id: int
    alliance_id: int
    direction: Annotated[str, doc("`given` by us or `received`.")]
    business: Annotated[str, doc("The code of the other business.")]
    state: TrackingGrantState
    numbers: SharedNumbers
    fields: list[SharedField]
    granted_at: datetime
    expires_at: datetime | None
    suspended_at: datetime | None
    suspended_reason: Annotated[
        SetUpLapse | None,
        doc(
            "Reason why the grant shows nothing until an admin resumes it: the user who gave it was disabled or their API "
            "token ended (`set_up_ended`), or they could no longer give it (`not_permitted`). Null if an admin suspended it"
        ),
    ]
    ended_at: datetime | None


class TrackingGrantAnswer(Answer):
    """One grant."""

    result: bool = True
    grant: TrackingGrant


class TrackingGrantList(PagedAnswer):
    """A page of grants, newest first."""

    grants: list[TrackingGrant]


class SharedNumberPage(PagedAnswer):
    """A page of the numbers of a grant, in the order in which they were listed."""

    tracking_numbers: list[str]


class AccessibleClient(Answer):
    """A business whose parcels we may track, and what we see."""

    business: Annotated[str, doc("Its code, for `business` of `get_allied_trackings`.")]
    alliance_id: int
    alliance: Annotated[str, doc("The alliance's name.")]
    grant_id: int
    numbers: SharedNumbers
    fields: list[SharedField]
    expires_at: datetime | None


class AccessibleClientList(PagedAnswer):
    """A page of businesses, by code."""

    clients: list[AccessibleClient]


class AlliedTracking(Answer):
    """A timeline of another business, as far as it is granted."""

    tracking_number: Annotated[str, doc("As it was asked for.")]
    timeline: Timeline


class AlliedTrackingError(Answer):
    """A number that is not granted, or of which nothing is known: the answer does not tell which."""

    tracking_number: str
    message: str


class AlliedTrackings(Answer):
    """What was found, and what was not."""

    result: bool = True
    business: str
    fields: list[SharedField]
    trackings: list[AlliedTracking]
    errors: list[AlliedTrackingError]


class AllianceRead(Answer):
    """A parcel that was read under a grant."""

    id: int
    grant_id: int
    business: Annotated[str, doc("Who read ours, or whose we read.")]
    tracking_number: str
    read_at: datetime
    user_id: Annotated[UserId | None, doc("Who of us it was; null for reads by others.")]


class AllianceReadList(PagedAnswer):
    """A page of reads, newest first."""

    reads: list[AllianceRead]
