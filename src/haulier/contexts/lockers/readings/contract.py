"""Readings of a device."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.lockers.devices.contract.devices import DeviceTelemetry
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ListDeviceReadings(PageRequest):
    """Which readings of a device."""

    device_id: RecordId
    since: Annotated[Moment | None, Field(examples=["2026-06-10T00:00:00Z"])] = None
    """From when on, itself included."""
    until: Annotated[Moment | None, Field(examples=["2026-06-11T00:00:00Z"])] = None
    """Up to when, itself not included."""


class DeviceReading(Answer):
    """What a device said of itself at a moment."""

    id: int
    at: datetime
    telemetry: DeviceTelemetry
    clock_offset_s: Annotated[int, doc("By how many seconds its clock was ahead.")]


class DeviceReadingList(PagedAnswer):
    """A page of readings, the newest first."""

    readings: list[DeviceReading]
