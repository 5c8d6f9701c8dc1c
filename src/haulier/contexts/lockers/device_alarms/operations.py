"""Operations on device alarms and their settings."""

from haulier.contexts.lockers.device_alarms import store
from haulier.contexts.lockers.device_alarms.actions import load_terms
from haulier.contexts.lockers.device_alarms.contract import (
    DeviceAlarmList,
    DeviceAlarmSettings,
    ListDeviceAlarms,
    SetDeviceAlarmSettings,
)
from haulier.contexts.lockers.device_alarms.serializers import alarm_records
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

SETTINGS_PATH = "/v1/client/device-alarm-settings"
FILTERS = {"device_id", "site_id", "kind", "status"}


@reads(
    "list_device_alarms",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/device-alarms"), GraphQL("deviceAlarms")),
)
async def list_device_alarms(call: Call, request: ListDeviceAlarms) -> DeviceAlarmList:
    """List device alarms, newest first.

    Covers silent devices and low batteries. Alarms are stored for a year.
    """
    wanted = request.model_dump(include=FILTERS, exclude_none=True, mode="json")
    rows, counted = await store.list_alarm_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return DeviceAlarmList(
        **total_fields(counted), page=request.page, per_page=request.per_page, alarms=await alarm_records(call, rows)
    )


@reads(
    "get_device_alarm_settings",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("deviceAlarmSettings")),
)
async def get_device_alarm_settings(call: Call, request: EmptyRequest) -> DeviceAlarmSettings:
    """Retrieve the device alarm settings.

    Includes the thresholds for silent devices and low batteries, and the email option.
    """
    return await _settings(call)


@writes(
    "set_device_alarm_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setDeviceAlarmSettings")),
)
async def set_device_alarm_settings(call: Call, request: SetDeviceAlarmSettings) -> DeviceAlarmSettings:
    """Update the device alarm settings.

    Alarms below the new thresholds end within a minute.
    """
    await store.upsert_settings(call.work, **request.model_dump(mode="json"), changed_at=call.now)
    call.add_audit_subjects("client", call.client_id)
    return await _settings(call)


async def _settings(call: Call) -> DeviceAlarmSettings:
    terms = await load_terms(call.work)
    return record(DeviceAlarmSettings, terms, silent_kinds=list(terms.silent_kinds))
