"""Operations on the settings of recipients' returns."""

from haulier.contexts.lockers.recipient_returns import store
from haulier.contexts.lockers.recipient_returns.contract.settings import ReturnSettingsAnswer, SetReturnSettings
from haulier.contexts.lockers.recipient_returns.serializers import settings_record
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, Risk, Scope

PATH = "/v1/client/return-settings"


@reads(
    "get_return_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", PATH, area=Area.RETURN_REASONS), GraphQL("returnSettings")),
)
async def get_return_settings(call: Call, request: EmptyRequest) -> ReturnSettingsAnswer:
    """Retrieve the settings for recipient returns.

    The return period, methods and reasons on the tracking page.
    """
    row = await store.get_settings_row(call.work)
    return ReturnSettingsAnswer(return_settings=settings_record(row) if row else None)


@writes(
    "set_return_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", PATH, area=Area.RETURN_REASONS), GraphQL("setReturnSettings")),
)
async def set_return_settings(call: Call, request: SetReturnSettings) -> ReturnSettingsAnswer:
    """Update the settings for recipient returns.

    Turns returns on the tracking page on or off. Returns in progress continue.
    """
    await store.upsert_settings(call.work, **request.model_dump(mode="json"), changed_at=call.now)
    call.add_audit_subjects("client", call.client_id)
    row = await store.get_settings_row(call.work)
    return ReturnSettingsAnswer(return_settings=settings_record(row) if row else None)
