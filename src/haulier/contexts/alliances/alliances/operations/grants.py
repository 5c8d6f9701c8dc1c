"""Operations on alliances: grants."""

from haulier.contexts.alliances.alliances import store
from haulier.contexts.alliances.alliances.contract import (
    AccessibleClient,
    AccessibleClientList,
    AllianceRead,
    AllianceReadList,
    AlliedTracking,
    AlliedTrackingError,
    AlliedTrackings,
    GetAlliedTrackings,
    GrantTracking,
    ListAccessibleClients,
    ListAllianceReads,
    ListSharedNumbers,
    ListTrackingGrants,
    SharedNumberPage,
    TrackingGrant,
    TrackingGrantAnswer,
    TrackingGrantList,
    TrackingGrantRef,
    UpdateSharedNumbers,
)
from haulier.contexts.alliances.alliances.operations.memberships import (
    ALLIANCE_PATH,
    CLIENT_ADMINS,
    PATH,
    WRITE_SCOPES,
)
from haulier.contexts.alliances.alliances.queries import (
    READ_BY,
    find_active_member,
    find_grant_lapses,
    find_keys_shared_now,
    get_active_alliance,
    get_own_grant,
)
from haulier.contexts.alliances.alliances.rules import (
    ALLIANCE_NOT_A_MEMBER,
    TRACKING_GRANT_ENDED,
    TRACKING_NOT_GRANTED,
    SharedField,
    SharedNumbers,
    TrackingGrantState,
    grant_state,
    shared_view,
)
from haulier.contexts.alliances.alliances.store import TrackingGrantRow
from haulier.contexts.identity.public import get_set_up_columns
from haulier.contexts.otep.public import Timeline
from haulier.contexts.tracking.public import find_timelines, make_number_key, status_describer
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.tables import CLIENT_ID
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, SCOPES_EXCEEDED, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.reach import SetUpLapse, read_lapse, require_can_call
from haulier.kernel.values.pagination import total_fields

GRANT_PATH = f"{PATH}/grants/{{grant_id}}"


@writes(
    "grant_tracking",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, ALLIANCE_NOT_A_MEMBER, SCOPES_EXCEEDED),
    interfaces=(Rest("PUT", f"{ALLIANCE_PATH}/grants"), GraphQL("grantTracking")),
)
async def grant_tracking(call: Call, request: GrantTracking) -> TrackingGrantAnswer:
    """Grant another member tracking of your parcels.

    Replaces the previous grant to them, including its list of numbers.
    """
    _require_can_read(call)
    await get_active_alliance(call, request.alliance_id, lock=True)
    reader = await find_active_member(call, request.alliance_id, request.business)
    if reader is None or reader.client_id == call.client_id:
        raise record_not_found(business=request.business)
    if request.expires_at is not None and request.expires_at <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("expires_at", "field.datetime_future"))
    set_up = await get_set_up_columns(call)
    grant_id = await store.replace_grant(
        call.work,
        call.client_id,
        giver_code=call.business.code,
        reader_id=reader.client_id,
        reader_code=reader.code,
        alliance_id=request.alliance_id,
        numbers=request.numbers.value,
        fields=sorted({field.value for field in request.fields}),
        granted_at=call.now,
        expires_at=request.expires_at,
        **set_up,
    )
    numbers = {make_number_key(n): n for n in request.tracking_numbers}
    await store.add_shared_numbers(call.work, grant_id, numbers, set_up)
    return await _grant_answer(call, grant_id)


@writes(
    "update_shared_numbers",
    available_when={"state": frozenset(TrackingGrantState) - {TrackingGrantState.ENDED}},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, TRACKING_GRANT_ENDED),
    interfaces=(Rest("POST", f"{GRANT_PATH}/numbers"), GraphQL("updateSharedNumbers")),
)
async def update_shared_numbers(call: Call, request: UpdateSharedNumbers) -> TrackingGrantAnswer:
    """Add or remove shared numbers of a grant.

    For a grant that your business gave.
    """
    if request.add:
        _require_can_read(call)
    await _update_given(call, request.grant_id)
    await store.remove_shared_numbers(call.work, request.grant_id, {make_number_key(n) for n in request.remove})
    numbers = {make_number_key(n): n for n in request.add}
    await store.add_shared_numbers(call.work, request.grant_id, numbers, await get_set_up_columns(call))
    return await _grant_answer(call, request.grant_id)


@writes(
    "suspend_tracking_grant",
    available_when={"state": TrackingGrantState.IN_FORCE.value},
    reversed_by="resume_tracking_grant",
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, TRACKING_GRANT_ENDED),
    interfaces=(Rest("POST", f"{GRANT_PATH}/suspend"), GraphQL("suspendTrackingGrant")),
)
async def suspend_tracking_grant(call: Call, request: TrackingGrantRef) -> TrackingGrantAnswer:
    """Suspend a grant that you gave.

    It shows nothing until it is resumed.
    """
    await _update_given(call, request.grant_id, suspended_at=call.now, suspended_reason=None)
    return await _grant_answer(call, request.grant_id)


@writes(
    "resume_tracking_grant",
    available_when={"state": TrackingGrantState.SUSPENDED.value},
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, TRACKING_GRANT_ENDED),
    interfaces=(Rest("POST", f"{GRANT_PATH}/resume"), GraphQL("resumeTrackingGrant")),
)
async def resume_tracking_grant(call: Call, request: TrackingGrantRef) -> TrackingGrantAnswer:
    """Resume a suspended grant.

    You take over what a lapsed user or API token shared, and are responsible for it from now on.
    """
    _require_can_read(call)
    set_up = await get_set_up_columns(call)
    await _update_given(call, request.grant_id, suspended_at=None, suspended_reason=None, **set_up)
    await store.transfer_shared_numbers(call.work, request.grant_id, set_up["set_up_by"], set_up["set_up_with"])
    return await _grant_answer(call, request.grant_id)


@writes(
    "revoke_tracking_grant",
    available_when={"state": frozenset(TrackingGrantState) - {TrackingGrantState.ENDED}},
    audience=CLIENT_ADMINS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, TRACKING_GRANT_ENDED),
    interfaces=(Rest("POST", f"{GRANT_PATH}/revoke"), GraphQL("revokeTrackingGrant")),
)
async def revoke_tracking_grant(call: Call, request: TrackingGrantRef) -> TrackingGrantAnswer:
    """Revoke a grant for good.

    For a grant that your business gave. The next read under it is rejected.
    """
    await _update_given(call, request.grant_id, live=None, ended_at=call.now)
    return await _grant_answer(call, request.grant_id)


@reads(
    "list_tracking_grants",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    interfaces=(Rest("GET", f"{PATH}/grants"), GraphQL("trackingGrants")),
)
async def list_tracking_grants(call: Call, request: ListTrackingGrants) -> TrackingGrantList:
    """List tracking grants given and received, newest first."""
    rows, total = await store.find_grants(
        call.work,
        call.client_id,
        call.now,
        direction=request.direction,
        alliance_id=request.alliance_id,
        in_force=request.in_force,
        limit=request.per_page,
        offset=request.offset,
    )
    lapses = await find_grant_lapses(call, [row for row in rows if row.client_id == call.client_id])
    grants = [_serialize_grant(call, row, lapses.get(row.id)) for row in rows]
    return TrackingGrantList(total=total, page=request.page, per_page=request.per_page, grants=grants)


@reads(
    "list_shared_numbers",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{GRANT_PATH}/numbers"), GraphQL("sharedNumbers")),
)
async def list_shared_numbers(call: Call, request: ListSharedNumbers) -> SharedNumberPage:
    """List the shared numbers of a grant.

    For a grant that you gave or received.
    """
    grant = await get_own_grant(call, request.grant_id)
    of_giver = call.work.for_tenant(grant.client_id, store.BOTH_NAMED)
    numbers, total = await store.find_shared_numbers(of_giver, grant.id, request.per_page, request.offset)
    listed = list(numbers)
    return SharedNumberPage(total=total, page=request.page, per_page=request.per_page, tracking_numbers=listed)


@reads(
    "list_accessible_clients",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    interfaces=(
        Rest("GET", f"{PATH}/accessible-clients"),
        GraphQL("accessibleClients"),
        Mcp("list_accessible_clients", title="List businesses whose parcels you can track"),
    ),
)
async def list_accessible_clients(call: Call, request: ListAccessibleClients) -> AccessibleClientList:
    """List businesses whose parcels you can track.

    Returns them by code, with the visible fields.
    """
    rows, total = await store.find_accessible_clients(
        call.work, call.client_id, call.now, request.per_page, request.offset
    )
    clients = [
        record(
            AccessibleClient,
            row,
            business=row.giver_code,
            grant_id=row.id,
            numbers=SharedNumbers(row.numbers),
            fields=[SharedField(field) for field in row.fields],
        )
        for row in rows
    ]
    return AccessibleClientList(total=total, page=request.page, per_page=request.per_page, clients=clients)


async def _update_given(call: Call, grant_id: int, **values: object) -> None:
    """Change a grant that this business gave.

    Raises `NOT_FOUND`, and `TRACKING_GRANT_ENDED` for one that has ended.
    """
    grant = await get_own_grant(call, grant_id)
    if grant.client_id != call.client_id:
        raise record_not_found(grant_id=grant_id)
    if not await store.update_grant(call.work, grant_id, call.client_id, **(values or {"live": True})):
        raise TRACKING_GRANT_ENDED()


async def _grant_answer(call: Call, grant_id: int) -> TrackingGrantAnswer:
    call.add_audit_subjects("tracking_grant", grant_id)
    row = await get_own_grant(call, grant_id)
    lapses = await find_grant_lapses(call, [row])
    return TrackingGrantAnswer(grant=_serialize_grant(call, row, lapses.get(row.id)))


def _serialize_grant(call: Call, row: TrackingGrantRow, lapse: SetUpLapse | None) -> TrackingGrant:
    given = row.client_id == call.client_id
    state = grant_state(
        live=bool(row.live),
        both_belong=row.both_belong,
        suspended=row.suspended_at is not None or lapse is not None,
        expires_at=row.expires_at,
        now=call.now,
    )
    return record(
        TrackingGrant,
        row,
        direction="given" if given else "received",
        business=row.reader_code if given else row.giver_code,
        state=state,
        suspended_reason=(lapse or read_lapse(row.suspended_reason)) if given else None,
        numbers=SharedNumbers(row.numbers),
        fields=[SharedField(field) for field in row.fields],
    )


def _require_can_read(call: Call) -> None:
    """Require that the caller can read shared timelines. Raises `SCOPES_EXCEEDED`."""
    require_can_call(call.app.registry, call.principal, READ_BY)


@reads(
    "get_allied_trackings",
    audited=True,
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    limits=(RateLimit(120, 60, by=("user",)),),
    errors=(TRACKING_NOT_GRANTED,),
    interfaces=(Rest("POST", f"{PATH}/trackings"), GraphQL("alliedTrackings")),
)
async def get_allied_trackings(call: Call, request: GetAlliedTrackings) -> AlliedTrackings:
    """Track parcels of another member.

    Limited to its grant. Both businesses can list these reads.
    """
    grant = await store.find_grant_in_force(call.work, request.business, call.client_id, call.now)
    giver = grant and await _act_for_giver(call, grant)
    if grant is None or giver is None or await find_grant_lapses(giver, [grant]):
        raise TRACKING_NOT_GRANTED(business=request.business)
    numbers = list(dict.fromkeys(request.tracking_numbers))
    timelines = await _granted_timelines(giver, grant, numbers)
    await _record_reads(call, grant, list(timelines))
    describe, message = status_describer(call), call.translate("tracking_not_found")
    return AlliedTrackings(
        business=request.business,
        fields=[SharedField(field) for field in grant.fields],
        trackings=[
            AlliedTracking(tracking_number=number, timeline=shared_view(whole, grant.fields, describe))
            for number, whole in timelines.items()
        ],
        errors=[
            AlliedTrackingError(tracking_number=number, message=message)
            for number in numbers
            if number not in timelines
        ],
    )


async def _act_for_giver(call: Call, grant: TrackingGrantRow) -> Call:
    work = call.work.for_tenant(grant.client_id, "a grant in force names the caller's business as reader")
    return await call_as_system(call.app, grant.client_id, work, now=call.now)


async def _granted_timelines(giver: Call, grant: TrackingGrantRow, numbers: list[str]) -> dict[str, Timeline]:
    """Return whole timelines of granted numbers, by requested number."""
    found = await find_timelines(giver.work, numbers)
    if grant.numbers == SharedNumbers.ALL:
        return found
    own = {number: timeline.subject.tracking_number or number for number, timeline in found.items()}
    keys = {make_number_key(number) for number in (*own.keys(), *own.values())}
    listed = await find_keys_shared_now(giver, grant.id, keys)
    return {
        number: timeline
        for number, timeline in found.items()
        if not listed.isdisjoint({make_number_key(number), make_number_key(own[number])})
    }


async def _record_reads(call: Call, grant: TrackingGrantRow, numbers: list[str]) -> None:
    call.add_audit_subjects("tracking_grant", grant.id)
    named = {
        CLIENT_ID: grant.client_id,
        "giver_code": grant.giver_code,
        "reader_id": call.client_id,
        "reader_code": grant.reader_code,
        "grant_id": grant.id,
        "user_id": call.actor,
        "read_at": call.now,
    }
    await store.insert_alliance_reads(call.work, [{**named, "tracking_number": number} for number in numbers])


@reads(
    "list_alliance_reads",
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    interfaces=(Rest("GET", f"{PATH}/reads"), GraphQL("allianceReads")),
)
async def list_alliance_reads(call: Call, request: ListAllianceReads) -> AllianceReadList:
    """List reads under tracking grants.

    Reads of your parcels by others, or your reads of other businesses' parcels. Newest first.
    """
    given = request.direction == "given"
    rows, counted = await store.find_alliance_reads(
        call.work,
        call.client_id,
        direction=request.direction,
        business=request.business,
        tracking_number=request.tracking_number,
        since=request.since,
        limit=request.per_page,
        offset=request.offset,
    )
    listed = [
        record(
            AllianceRead,
            row,
            business=row.reader_code if given else row.giver_code,
            user_id=None if given else row.user_id,
        )
        for row in rows
    ]
    return AllianceReadList(**total_fields(counted), page=request.page, per_page=request.per_page, reads=listed)
