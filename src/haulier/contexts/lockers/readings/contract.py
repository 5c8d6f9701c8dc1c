"""Request and response models for device measurements."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.lockers.devices.contract import DeviceTelemetry
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.ids import LockerDeviceId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ListDeviceReadings(PageRequest):
    """Period of the measurements of a device."""

    device_id: LockerDeviceId
    since: Annotated[Moment | None, Field(examples=["2026-06-10T00:00:00Z"])] = None
    """Start of the period, inclusive."""
    until: Annotated[Moment | None, Field(examples=["2026-06-11T00:00:00Z"])] = None
    """End of the period, exclusive."""


class DeviceReading(Answer):
    """A measurement of a device."""

    id: int
    at: datetime
    telemetry: DeviceTelemetry
    clock_offset_s: Annotated[int, doc("Seconds by which the device's clock was ahead.")]


class DeviceReadingList(PagedAnswer):
    """A page of measurements, newest first."""

    readings: list[DeviceReading]
