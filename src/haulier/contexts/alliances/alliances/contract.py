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
    """A new alliance. Your business is its founder and first member."""

    name: Name = Field(examples=["Same-day couriers of Ontario"])
    """Name of the alliance."""
    note: Note | None = None
    """Note for members: purpose and contacts."""


class AllianceRef(Request):
    """Reference to an alliance."""

    alliance_id: RecordId
    """ID of the alliance."""


class UpdateAlliance(AllianceRef):
    """Fields of an alliance to change. Omitted fields keep their values."""

    name: Name | None = None
    """Name of the alliance."""
    note: Note | None = None
    """Note for members."""


class EndAlliance(AllianceRef):
    """An alliance to end for all members."""

    reason: Reason | None = None
    """Reason, visible to all members."""


class InviteAllianceMember(AllianceRef):
    """A business to invite."""

    business: BusinessCode
    """The code of the other business."""


class RemoveAllianceMember(AllianceRef):
    """A member to remove, or an invitation to withdraw."""

    business: BusinessCode
    """The code of the member."""
    reason: Reason | None = None
    """Reason, visible to all members."""


class LeaveAlliance(AllianceRef):
    """An alliance to leave."""

    reason: Reason | None = None
    """Reason, visible to all members."""


class ListAlliances(PageRequest):
    """Filters for alliances."""

    state: AllianceMemberState | None = None
    """Filter by state of your membership."""


class ListAllianceMembers(PageRequest):
    """An alliance, and filters for its members."""

    alliance_id: RecordId
    """ID of the alliance."""
    state: AllianceMemberState | None = None
    """Filter by state."""


class Alliance(Answer):
    """An alliance, from your view."""

    id: int
    name: str
    note: str | None
    founder: Annotated[str, doc("Code of the founding business.")]
    state: Annotated[AllianceMemberState, doc("State of your membership.")]
    members: Annotated[int, doc("Number of members.")]
    created_at: datetime
    invited_at: datetime
    joined_at: datetime | None
    ended_at: Annotated[datetime | None, doc("Time when it ended for all.")]
    reason: Annotated[str | None, doc("Reason for its end.")]


class AllianceMember(Answer):
    """A business in an alliance."""

    business: Annotated[str, doc("Code of the alliance.")]
    founder: bool
    state: AllianceMemberState
    invited_at: datetime
    joined_at: datetime | None
    left_at: datetime | None
    reason: Annotated[str | None, doc("Reason for leaving.")]


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
    """A tracking grant to another member. It replaces the previous one."""

    business: BusinessCode
    """The code of the other member."""
    numbers: SharedNumbers = SharedNumbers.LISTED
    """`all`: each of your parcels whose number they know. `listed`: those that you list."""
    tracking_numbers: SharedNumberList = ()
    """First numbers of the list, at most 200. Add more with `update_shared_numbers`."""
    fields: Annotated[tuple[SharedField, ...], Field(max_length=len(SharedField))] = ()
    """Fields beyond a recipient's tracking page."""
    expires_at: Moment | None = None
    """Expiry. Default: none."""


class TrackingGrantRef(Request):
    """Reference to a tracking grant."""

    grant_id: RecordId
    """ID of the grant."""


class UpdateSharedNumbers(TrackingGrantRef):
    """Numbers to add to or remove from the list of a grant."""

    add: SharedNumberList = ()
    """Numbers to share, at most 200. Listed ones are unchanged."""
    remove: SharedNumberList = ()
    """Numbers to stop sharing, at most 200."""


class ListSharedNumbers(PageRequest):
    """A grant whose numbers are listed."""

    grant_id: RecordId
    """ID of the grant."""


class ListTrackingGrants(PageRequest):
    """Filters for tracking grants."""

    direction: Direction | None = None
    """Filter by direction: given or received."""
    alliance_id: RecordId | None = None
    """Filter by alliance."""
    in_force: bool | None = None
    """If true, only active grants; if false, only the others."""


class ListAccessibleClients(PageRequest):
    """Paging for businesses."""


class GetAlliedTrackings(Request):
    """A business, and tracking numbers of its parcels."""

    business: BusinessCode
    """Code of the member that owns the parcels."""
    tracking_numbers: Annotated[tuple[SharedNumber, ...], Field(min_length=1, max_length=NUMBERS_MAX)]
    """Tracking numbers of the member or its carriers, at most 200."""


class ListAllianceReads(PageRequest):
    """Filters for reads."""

    direction: Direction = "given"
    """`given`: reads of your parcels. `received`: your reads of others."""
    business: BusinessCode | None = None
    """Filter by the other business."""
    tracking_number: SharedNumber | None = None
    """Filter by tracking number."""
    since: Moment | None = None
    """Only reads from this time on."""


class TrackingGrant(Answer):
    """A tracking grant from one member to another."""

    id: int
    alliance_id: int
    direction: Annotated[str, doc("`given` by you or `received`.")]
    business: Annotated[str, doc("Code of the other business.")]
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
    """A business whose parcels you may track, and the visible fields."""

    business: Annotated[str, doc("Business code, for `business` of `get_allied_trackings`.")]
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
    """A timeline of another business, limited to the grant."""

    tracking_number: Annotated[str, doc("Tracking number as requested.")]
    timeline: Timeline


class AlliedTrackingError(Answer):
    """A number that is not granted or unknown; the response does not distinguish them."""

    tracking_number: str
    message: str


class AlliedTrackings(Answer):
    """Timelines that were found, and numbers that were not."""

    result: bool = True
    business: str
    fields: list[SharedField]
    trackings: list[AlliedTracking]
    errors: list[AlliedTrackingError]


class AllianceRead(Answer):
    """A read under a grant."""

    id: int
    grant_id: int
    business: Annotated[str, doc("Business that read your parcels, or whose parcels you read.")]
    tracking_number: str
    read_at: datetime
    user_id: Annotated[UserId | None, doc("User of your business; null for reads by others.")]


class AllianceReadList(PagedAnswer):
    """A page of reads, newest first."""

    reads: list[AllianceRead]
