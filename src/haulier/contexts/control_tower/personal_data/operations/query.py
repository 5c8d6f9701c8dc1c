"""Exports and erasures: list, show."""

from haulier.contexts.control_tower.personal_data import store
from haulier.contexts.control_tower.personal_data.contract import (
    GetPersonalDataRequest,
    ListPersonalDataRequests,
    PersonalDataAnswer,
    PersonalDataRequestList,
)
from haulier.contexts.control_tower.personal_data.queries import find_export_lapses
from haulier.contexts.control_tower.personal_data.serializers import to_request
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/personal-data/requests"


@reads(
    "list_personal_data_requests",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", PATH), GraphQL("personalDataRequests")),
)
async def list_personal_data_requests(call: Call, request: ListPersonalDataRequests) -> PersonalDataRequestList:
    """The exports and erasures that were asked for, newest first."""
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
    doors=(Rest("GET", f"{PATH}/{{request_id}}"), GraphQL("personalDataRequest")),
    errors=(NOT_FOUND,),
)
async def get_personal_data_request(call: Call, request: GetPersonalDataRequest) -> PersonalDataAnswer:
    """Show the state of an export or an erasure, the records it covered, and the file of an export."""
    row = await store.get_request(call.work, request.request_id)
    if row is None:
        raise NOT_FOUND()
    lapses = await find_export_lapses(call, [row])
    return PersonalDataAnswer(request=to_request(call, row, lapses.get(row.id)))
