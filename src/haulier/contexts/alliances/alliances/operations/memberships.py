"""Operations on alliances and memberships."""

from haulier.contexts.alliances.alliances import store
from haulier.contexts.alliances.alliances.contract import (
    Alliance,
    AllianceAnswer,
    AllianceList,
    AllianceMember,
    AllianceMemberAnswer,
    AllianceMemberList,
    AllianceRef,
    CreateAlliance,
    EndAlliance,
    InviteAllianceMember,
    LeaveAlliance,
    ListAllianceMembers,
    ListAlliances,
    RemoveAllianceMember,
    UpdateAlliance,
)
from haulier.contexts.alliances.alliances.queries import get_active_alliance, get_founded_alliance, get_own_alliance
from haulier.contexts.alliances.alliances.rules import (
    ALLIANCE_FOUNDER_ONLY,
    ALLIANCE_FOUNDER_STAYS,
    ALLIANCE_MEMBER_EXISTS,
    ALLIANCE_NOT_A_MEMBER,
    ALLIANCE_NOT_ANSWERABLE,
    AllianceMemberState,
    check_departure,
)
from haulier.contexts.alliances.alliances.store import AllianceMemberRow, AllianceRow
from haulier.contexts.identity.public import find_other_business
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record

PATH = "/v1/alliances"
ALLIANCE_PATH = f"{PATH}/{{alliance_id}}"
CLIENT_ADMINS = {Account.CLIENT_ADMIN}
WRITE_SCOPES = {Scope.ALLIANCE_READ, Scope.ACCOUNT_WRITE}


@writes(
    "create_alliance",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH, status=201), GraphQL("createAlliance")),
)
async def create_alliance(call: Call, request: CreateAlliance) -> AllianceAnswer:
    """Create an alliance.

    Your business becomes its first member and can invite others.
    """
    alliance_id = await store.insert_alliance(
        call.work,
        call.client_id,
        founder_code=call.business.code,
        name=request.name,
        note=request.note,
        created_at=call.now,
    )
    await store.insert_alliance_member(
        call.work,
        call.client_id,
        alliance_id=alliance_id,
        code=call.business.code,
        founder=True,
        state=AllianceMemberState.ACTIVE.value,
        invited_at=call.now,
        joined_at=call.now,
    )
    return await _alliance_answer(call, alliance_id)


@writes(
    "update_alliance",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ALLIANCE_NOT_A_MEMBER, ALLIANCE_FOUNDER_ONLY),
    interfaces=(Rest("PATCH", ALLIANCE_PATH), GraphQL("updateAlliance")),
)
async def update_alliance(call: Call, request: UpdateAlliance) -> AllianceAnswer:
    """Update an alliance that you founded.

    Changes its name or note.
    """
    row = await get_founded_alliance(call, request.alliance_id)
    if values := request.model_dump(exclude={"alliance_id"}, exclude_unset=True, exclude_none=True):
        await store.update_alliance(call.work, row.id, call.client_id, **values)
    return await _alliance_answer(call, row.id)


@writes(
    "end_alliance",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, ALLIANCE_NOT_A_MEMBER, ALLIANCE_FOUNDER_ONLY),
    interfaces=(Rest("POST", f"{ALLIANCE_PATH}/end"), GraphQL("endAlliance")),
)
async def end_alliance(call: Call, request: EndAlliance) -> AllianceAnswer:
    """End an alliance that you founded.

    All members leave, and all grants under it end.
    """
    row = await get_founded_alliance(call, request.alliance_id)
    await store.update_alliance(call.work, row.id, call.client_id, ended_at=call.now, reason=request.reason)
    await store.end_alliance_members(call.work, row.id, call.now, request.reason)
    return await _alliance_answer(call, row.id)


@writes(
    "invite_alliance_member",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    limits=(RateLimit(20, 3600, by=("user",)),),
    errors=(NOT_FOUND, ALLIANCE_NOT_A_MEMBER, ALLIANCE_FOUNDER_ONLY, ALLIANCE_MEMBER_EXISTS),
    interfaces=(Rest("POST", f"{ALLIANCE_PATH}/members"), GraphQL("inviteAllianceMember")),
)
async def invite_alliance_member(call: Call, request: InviteAllianceMember) -> AllianceMemberAnswer:
    """Invite a business to your alliance.

    It becomes a member once it accepts.
    """
    row = await get_founded_alliance(call, request.alliance_id)
    member_id = await find_other_business(call, request.business)
    if member_id is None:
        raise record_not_found(business=request.business)
    try:
        async with call.savepoint():
            await store.insert_alliance_member(
                call.work,
                member_id,
                alliance_id=row.id,
                code=request.business,
                founder=False,
                state=AllianceMemberState.INVITED.value,
                invited_at=call.now,
            )
    except UniqueConflict as conflict:
        raise ALLIANCE_MEMBER_EXISTS(business=request.business) from conflict
    call.add_audit_subjects("alliance", row.id)
    invited = await store.find_present_member(call.work, row.id, request.business)
    assert invited
    return AllianceMemberAnswer(member=_serialize_member(call, invited))


@writes(
    "accept_alliance_invitation",
    available_when={"state": AllianceMemberState.INVITED.value},
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ALLIANCE_NOT_ANSWERABLE),
    interfaces=(Rest("POST", f"{ALLIANCE_PATH}/accept"), GraphQL("acceptAllianceInvitation")),
)
async def accept_alliance_invitation(call: Call, request: AllianceRef) -> AllianceAnswer:
    """Accept an invitation to an alliance.

    Joining shares nothing of your business. Repeating the call changes nothing.
    """
    row = await get_own_alliance(call, request.alliance_id, lock=True)
    if row.state == AllianceMemberState.INVITED:
        await store.update_alliance_member(call.work, row.member_id, AllianceMemberState.ACTIVE, joined_at=call.now)
    elif row.state != AllianceMemberState.ACTIVE:
        raise ALLIANCE_NOT_ANSWERABLE(state=row.state)
    return await _alliance_answer(call, row.id)


@writes(
    "decline_alliance_invitation",
    available_when={"state": AllianceMemberState.INVITED.value},
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.LOW,
    errors=(NOT_FOUND, ALLIANCE_NOT_ANSWERABLE),
    interfaces=(Rest("POST", f"{ALLIANCE_PATH}/decline"), GraphQL("declineAllianceInvitation")),
)
async def decline_alliance_invitation(call: Call, request: LeaveAlliance) -> AllianceAnswer:
    """Decline an invitation to an alliance.

    Your business can be invited again.
    """
    row = await get_own_alliance(call, request.alliance_id, lock=True)
    if row.state != AllianceMemberState.INVITED:
        raise ALLIANCE_NOT_ANSWERABLE(state=row.state)
    gone = {"left_at": call.now, "reason": request.reason}
    await store.update_alliance_member(call.work, row.member_id, AllianceMemberState.DECLINED, **gone)
    return await _alliance_answer(call, row.id)


@writes(
    "leave_alliance",
    available_when={"state": AllianceMemberState.ACTIVE.value},
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ALLIANCE_NOT_ANSWERABLE, ALLIANCE_FOUNDER_STAYS),
    interfaces=(Rest("POST", f"{ALLIANCE_PATH}/leave"), GraphQL("leaveAlliance")),
)
async def leave_alliance(call: Call, request: LeaveAlliance) -> AllianceAnswer:
    """Leave an alliance.

    Grants that your business gave or received under it end.
    """
    row = await get_own_alliance(call, request.alliance_id, lock=True)
    if error := check_departure(AllianceMemberState(row.state), is_founder=row.client_id == call.client_id):
        raise error
    gone = {"left_at": call.now, "reason": request.reason}
    await store.update_alliance_member(call.work, row.member_id, AllianceMemberState.LEFT, **gone)
    return await _alliance_answer(call, row.id)


@writes(
    "remove_alliance_member",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ALLIANCE_NOT_A_MEMBER, ALLIANCE_FOUNDER_ONLY, ALLIANCE_FOUNDER_STAYS),
    interfaces=(Rest("POST", f"{ALLIANCE_PATH}/members/remove"), GraphQL("removeAllianceMember")),
)
async def remove_alliance_member(call: Call, request: RemoveAllianceMember) -> AllianceAnswer:
    """Remove a member from your alliance.

    Also withdraws an invitation. Grants by or to the member end.
    """
    row = await get_founded_alliance(call, request.alliance_id)
    member = await store.find_present_member(call.work, row.id, request.business)
    if member is None:
        raise record_not_found(business=request.business)
    if error := check_departure(AllianceMemberState(member.state), is_founder=member.founder):
        raise error
    gone = {"left_at": call.now, "reason": request.reason}
    await store.update_alliance_member(call.work, member.id, AllianceMemberState.REMOVED, **gone)
    return await _alliance_answer(call, row.id)


@reads(
    "list_alliances",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    interfaces=(Rest("GET", PATH), GraphQL("alliances"), Mcp("list_alliances", title="List alliances")),
)
async def list_alliances(call: Call, request: ListAlliances) -> AllianceList:
    """List your alliances, newest first.

    Those to which your business belongs, belonged or is invited.
    """
    rows, total = await store.find_alliances(call.work, call.client_id, request.state, request.per_page, request.offset)
    listed = [_serialize_alliance(call, row) for row in rows]
    return AllianceList(total=total, page=request.page, per_page=request.per_page, alliances=listed)


@reads(
    "get_alliance",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", ALLIANCE_PATH), GraphQL("alliance"), Mcp("get_alliance", title="Get an alliance")),
)
async def get_alliance(call: Call, request: AllianceRef) -> AllianceAnswer:
    """Get an alliance.

    Includes the state of your membership.
    """
    return AllianceAnswer(alliance=_serialize_alliance(call, await get_own_alliance(call, request.alliance_id)))


@reads(
    "list_alliance_members",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    errors=(NOT_FOUND, ALLIANCE_NOT_A_MEMBER),
    interfaces=(
        Rest("GET", f"{ALLIANCE_PATH}/members"),
        GraphQL("allianceMembers"),
        Mcp("list_alliance_members", title="List alliance members"),
    ),
)
async def list_alliance_members(call: Call, request: ListAllianceMembers) -> AllianceMemberList:
    """List the members of an alliance.

    Includes former members. Your business must belong to it.
    """
    row = await get_active_alliance(call, request.alliance_id, lock=False)
    rows, total = await store.find_alliance_members(call.work, row.id, request.state, request.per_page, request.offset)
    members = [_serialize_member(call, member) for member in rows]
    return AllianceMemberList(total=total, page=request.page, per_page=request.per_page, members=members)


async def _alliance_answer(call: Call, alliance_id: int) -> AllianceAnswer:
    call.add_audit_subjects("alliance", alliance_id)
    return AllianceAnswer(alliance=_serialize_alliance(call, await get_own_alliance(call, alliance_id)))


def _serialize_alliance(call: Call, row: AllianceRow) -> Alliance:
    return record(Alliance, row, founder=row.founder_code, state=AllianceMemberState(row.state))


def _serialize_member(call: Call, row: AllianceMemberRow) -> AllianceMember:
    return record(AllianceMember, row, business=row.code, state=AllianceMemberState(row.state))
