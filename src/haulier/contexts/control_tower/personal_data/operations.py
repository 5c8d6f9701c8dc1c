"""Operations on personal data."""

from haulier.contexts.control_tower.personal_data import store
from haulier.contexts.control_tower.personal_data.actions import end_export
from haulier.contexts.control_tower.personal_data.contract import (
    ErasureAnswer,
    GetPersonalDataRequest,
    ListPersonalDataRequests,
    PersonalDataAnswer,
    PersonalDataRequestList,
    PersonSelector,
    RepeatPersonalDataRequest,
)
from haulier.contexts.control_tower.personal_data.errors import PERSON_IN_USE, PERSONAL_DATA_REQUEST_NOT_FAILED
from haulier.contexts.control_tower.personal_data.jobs import (
    ERASE_JOB,
    EXPORT_JOB,
    HandlePersonalData,
)
from haulier.contexts.control_tower.personal_data.queries import find_export_lapses
from haulier.contexts.control_tower.personal_data.rules import (
    MAX_NAMED_RECORDS,
    effective_state,
    selected_keys,
    stored_keys,
)
from haulier.contexts.control_tower.personal_data.serializers import to_counts, to_request
from haulier.contexts.documents.public import register_file_access
from haulier.contexts.fleet.public import get_visible_driver
from haulier.contexts.identity.public import (
    LAST_ADMIN,
    disable_user_account,
    find_user_by_email,
    get_set_up_columns,
    require_user,
)
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, PersonKeys
from haulier.kernel.data.personal_records import count_records, list_in_use, resolve_person
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PERSONAL_DATA_PATH = "/v1/personal-data/requests"


@reads(
    "list_personal_data_requests",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PERSONAL_DATA_PATH), GraphQL("personalDataRequests")),
)
async def list_personal_data_requests(call: Call, request: ListPersonalDataRequests) -> PersonalDataRequestList:
    """List exports and erasures, newest first."""
    total, rows = await store.list_requests(call.work, request.per_page, request.offset)
    lapses = await find_export_lapses(call, rows)
    return PersonalDataRequestList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        requests=[to_request(call, row, lapses.get(row.id)) for row in rows],
    )


@reads(
    "get_personal_data_request",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", f"{PERSONAL_DATA_PATH}/{{request_id}}"), GraphQL("personalDataRequest")),
    errors=(NOT_FOUND,),
)
async def get_personal_data_request(call: Call, request: GetPersonalDataRequest) -> PersonalDataAnswer:
    """Get an export or erasure.

    Returns its state, the records that it covered, and the file of an export.
    """
    row = await store.get_request(call.work, request.request_id)
    if row is None:
        raise NOT_FOUND()
    lapses = await find_export_lapses(call, [row])
    return PersonalDataAnswer(request=to_request(call, row, lapses.get(row.id)))


REQUESTS_PATH = "/v1/personal-data"
READS = frozenset({Scope.ACCOUNT_READ, Scope.ORDERS_READ, Scope.ROUTES_READ, Scope.DRIVERS_READ, Scope.TRACKING_READ})
"""Scopes of the exported data, which are required to request and open an export."""
ERASES = frozenset(
    {Scope.ACCOUNT_WRITE, Scope.ORDERS_WRITE, Scope.ROUTES_WRITE, Scope.DRIVERS_WRITE, Scope.TRACKING_WRITE}
)
JOBS = {"export": EXPORT_JOB, "erasure": ERASE_JOB}


@register_file_access("personal_data_request", Scope.ACCOUNT_WRITE, office=False)
async def _may_open_export(call: Call, request_id: int) -> bool:
    if call.principal.account is not Account.CLIENT_ADMIN or not call.principal.scopes >= READS:
        return False
    row = await store.get_request(call.work, request_id)
    return row is not None and not await find_export_lapses(call, [row])


@writes(
    "export_personal_data",
    audience={Account.CLIENT_ADMIN},
    scopes=READS | {Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{REQUESTS_PATH}/exports", status=201), GraphQL("exportPersonalData")),
    errors=(NOT_FOUND,),
)
async def export_personal_data(call: Call, request: PersonSelector) -> PersonalDataAnswer:
    """Export a person's data as a JSON file.

    The export runs in the background. `get_personal_data_request` returns its state and the file, which only admins can open
    and which is deleted after seven days. If the requester is disabled, or the requester or their token loses the right to
    export, the export is cancelled and its file deleted. Passwords, tokens and other people's data on orders are left out.
    """
    keys = await _resolve(call, request)
    request_id = await _insert(call, request, "export", keys)
    await call.enqueue(EXPORT_JOB, HandlePersonalData(request_id=request_id))
    return PersonalDataAnswer(request=to_request(call, await _require_row(call, request_id)))


@writes(
    "erase_personal_data",
    audience={Account.CLIENT_ADMIN},
    scopes=ERASES,
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{REQUESTS_PATH}/erasures", status=201), GraphQL("erasePersonalData")),
    errors=(NOT_FOUND, LAST_ADMIN, PERSON_IN_USE),
)
async def erase_personal_data(call: Call, request: PersonSelector) -> ErasureAnswer:
    """Erase a person for good.

    Deletes names, contacts, texts, pictures and positions; timelines, ids and money are kept. A dry run returns the
    counts by kind. Rejected while an order of the person is not finished, or a route is assigned or in progress. A user
    is signed out everywhere at once and can no longer sign in; the rest runs in the background. A repeat erases only
    newer data.
    """
    keys = await _resolve(call, request)
    await _require_not_in_use(call, keys)
    counts = await count_records(call.work, keys)
    for user_id in keys.get(PersonKey.USER, ()):
        await _end_access(call, user_id)
    request_id = await _insert(call, request, "erasure", keys)
    await call.enqueue(ERASE_JOB, HandlePersonalData(request_id=request_id))
    return ErasureAnswer(
        request=to_request(call, await _require_row(call, request_id)),
        to_erase=to_counts(counts),
        accounts_left=await _find_accounts_left(call, keys),
    )


@writes(
    "repeat_personal_data_request",
    available_when={"state": "failed"},
    audience={Account.CLIENT_ADMIN},
    scopes=READS | ERASES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{REQUESTS_PATH}/requests/{{request_id}}/repeat"), GraphQL("repeatPersonalDataRequest")),
    errors=(NOT_FOUND, PERSONAL_DATA_REQUEST_NOT_FAILED),
)
async def repeat_personal_data_request(call: Call, request: RepeatPersonalDataRequest) -> PersonalDataAnswer:
    """Repeat a failed export or erasure.

    Uses the original request. An erasure continues where it stopped.
    """
    row = await store.get_request(call.work, request.request_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    state = effective_state(row.state, row.created_at, call.now)
    if state != "failed":
        raise PERSONAL_DATA_REQUEST_NOT_FAILED(state=state)
    asked = {"requested_by": call.actor, "set_up_with": (await get_set_up_columns(call))["set_up_with"]}
    await store.update_request(call.work, row.id, state="queued", created_at=call.now, **asked)
    await call.enqueue(JOBS[row.kind], HandlePersonalData(request_id=row.id))
    call.add_audit_subjects("personal_data_request", row.id)
    return PersonalDataAnswer(request=to_request(call, await _require_row(call, row.id)))


async def _resolve(call: Call, selector: PersonSelector) -> PersonKeys:
    """Return the keys of a person's rows. Raises `NOT_FOUND`."""
    keys = selected_keys(selector)
    if selector.user_id:
        await require_user(call.work, selector.user_id)
        call.add_audit_subjects("user", selector.user_id)
    if selector.driver_id:
        await get_visible_driver(call, selector.driver_id)
        call.add_audit_subjects("driver", selector.driver_id)
    return await resolve_person(call.work, keys)


async def _require_not_in_use(call: Call, keys: PersonKeys) -> None:
    """Raise `PERSON_IN_USE` with the records in the way."""
    used = await list_in_use(call.work, keys)
    if used:
        named = [f"{kind.value} {id}" for kind, ids in used.items() for id in ids]
        raise PERSON_IN_USE(records=", ".join(named[:MAX_NAMED_RECORDS]), count=len(named))


async def _end_access(call: Call, user_id: int) -> None:
    """Sign a user out for good, and remove the exports of their data."""
    user = await require_user(call.work, user_id)
    if user.active:
        await disable_user_account(call, user_id)
    for row in await store.list_exports_of_user(call.work, user_id):
        await end_export(call, row)


async def _find_accounts_left(call: Call, keys: PersonKeys) -> list[int]:
    """Return users of this client with one of the addresses, except the named person."""
    users = [await find_user_by_email(call.work, email) for email in sorted(keys.get(PersonKey.EMAIL, ()))]
    ids = {user.id for user in users if user and user.client_id == call.client_id}
    return sorted(ids - keys.get(PersonKey.USER, frozenset()))


async def _insert(call: Call, selector: PersonSelector, kind: str, keys: PersonKeys) -> int:
    request_id = await store.insert_request(
        call.work,
        kind=kind,
        state="queued",
        keys=stored_keys(keys),
        records={},
        user_id=selector.user_id,
        requested_by=call.actor,
        set_up_with=(await get_set_up_columns(call))["set_up_with"],
        created_at=call.now,
    )
    call.add_audit_subjects("personal_data_request", request_id)
    return request_id


async def _require_row(call: Call, request_id: int) -> store.PersonalDataRequestRow:
    row = await store.get_request(call.work, request_id)
    if row is None:
        raise NOT_FOUND()
    return row
