"""Table of devices."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Column, Index, String

from haulier.contexts.lockers.devices.contract import CHANNEL_MAX, FIRMWARE_MAX, SERIAL_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import NAME_MAX


class DeviceRow(
    Record,
    table="device",
    items=[
        Index("uq_device_serial", "client_id", "serial", unique=True),
        Index("ix_device_firmware", "client_id", "firmware"),
        Index("ix_device_site", "client_id", "site_id"),
    ],
):
    """A device."""

    name: Annotated[str, String(NAME_MAX)]
    kind: Annotated[str, String(20)]
    serial: Annotated[str, String(SERIAL_MAX)]
    site_id: Reference | None
    status: Annotated[str, String(20)]
    firmware_channel: Annotated[str, String(CHANNEL_MAX)]
    telemetry: dict[str, Any]
    last_sequence: BigInt
    last_seen_at: datetime | None
    session_sequence: BigInt | None
    gone_at: datetime | None
    sampled_at: datetime | None
    firmware: Annotated[str, String(FIRMWARE_MAX)] | None
    battery_pct: int | None
    desired_settings: dict[str, str] | None
    reported_settings: dict[str, str] | None
    code_sequence: Annotated[int, Column("code_sequence", BigInteger, nullable=False, server_default="0")]
    clock_offset_s: int | None
    wrong_codes: int
    keypad_rests_until: datetime | None
    registered_at: datetime | None
    created_at: datetime


devices = DeviceRow.table
plain_columns(devices, "name", "kind", "serial", "status", "firmware_channel", "telemetry", "firmware")
plain_columns(devices, "desired_settings", "reported_settings")
