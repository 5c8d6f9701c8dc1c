"""Reading another member's parcels under its grant, and the record of these reads."""

from haulier.contexts.alliances.alliances.contract.grants import (
    AllianceRead,
    AllianceReadList,
    AlliedTracking,
    AlliedTrackingError,
    AlliedTrackings,
    GetAlliedTrackings,
    ListAllianceReads,
)
from haulier.contexts.alliances.alliances.operations.memberships import PATH
from haulier.contexts.alliances.alliances.queries import find_grant_lapses, find_keys_shared_now
from haulier.contexts.alliances.alliances.rules import (
    TRACKING_NOT_GRANTED,
    SharedField,
    SharedNumbers,
    shared_view,
)
from haulier.contexts.alliances.alliances.store import grants as store
from haulier.contexts.alliances.alliances.store.grants import TrackingGrantRow
from haulier.contexts.otep.public import Timeline
from haulier.contexts.tracking.public import find_timelines, make_number_key, status_describer
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.tables import CLIENT_ID
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields


@reads(
    "get_allied_trackings",
    audited=True,
    audience=OFFICE,
    scopes={Scope.ALLIANCE_READ},
    limits=(RateLimit(120, 60, by=("user",)),),
    errors=(TRACKING_NOT_GRANTED,),
    doors=(Rest("POST", f"{PATH}/trackings"), GraphQL("alliedTrackings")),
)
async def get_allied_trackings(call: Call, request: GetAlliedTrackings) -> AlliedTrackings:
    """Track parcels of another member, as far as it granted it to us. Both businesses can list these reads."""
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
    """The whole timelines of those numbers that the grant is about, by the number asked for."""
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
    doors=(Rest("GET", f"{PATH}/reads"), GraphQL("allianceReads")),
)
async def list_alliance_reads(call: Call, request: ListAllianceReads) -> AllianceReadList:
    """List who read which of our parcels under a grant, or what we read of others. Newest first."""
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
