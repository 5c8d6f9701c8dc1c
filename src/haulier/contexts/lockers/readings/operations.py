"""Operations on device measurements."""

import msgspec

from haulier.contexts.lockers.devices.contract import DeviceTelemetry
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.readings import store
from haulier.contexts.lockers.readings.contract import DeviceReading, DeviceReadingList, ListDeviceReadings
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields


@reads(
    "list_device_readings",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/devices/{device_id}/readings"), GraphQL("deviceReadings")),
    errors=(NOT_FOUND,),
)
async def list_device_readings(call: Call, request: ListDeviceReadings) -> DeviceReadingList:
    """List the measurements of a device, newest first.

    One measurement every ten minutes, for the last month.
    """
    await get_device(call, request.device_id)
    rows, counted = await store.list_reading_rows(
        call.work, request.device_id, request.since, request.until, limit=request.per_page, offset=request.offset
    )
    shown = [
        record(
            DeviceReading,
            row,
            at=call.local_time(row.at),
            telemetry=msgspec.convert(row.telemetry, DeviceTelemetry),
        )
        for row in rows
    ]
    return DeviceReadingList(**total_fields(counted), page=request.page, per_page=request.per_page, readings=shown)
