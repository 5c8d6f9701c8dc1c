"""Queries for push devices."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, delete, or_, select

from haulier.contexts.chat.order_chat.store.tables import PushDeviceRow, devices
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_own = (
    select(devices)
    .where(devices.c.user_id == bindparam("user"), devices.c.order_id == bindparam("order"))
    .order_by(devices.c.seen_at.desc(), devices.c.id.desc())
)
_at_address = select(devices).where(
    devices.c.address_sha256 == bindparam("digest"), devices.c.order_id == bindparam("order")
)
_of_people = (
    select(devices)
    .where(
        or_(
            and_(in_param(devices.c.user_id, "users"), devices.c.order_id == 0),
            and_(devices.c.user_id == 0, devices.c.order_id == bindparam("order")),
        )
    )
    .order_by(devices.c.id)
)
_delete = delete(devices).where(in_param(devices.c.id, "ids"))


async def put_device(work: UnitOfWork, values: Mapping[str, Any]) -> PushDeviceRow:
    """Insert a device, or update the one with this address and change its owner."""
    at: dict[str, Any] = {"digest": values["address_sha256"], "order": values["order_id"]}
    before = await work.first(_at_address, PushDeviceRow, **at)
    begun = {"created_at": before.created_at} if before and before.user_id == values["user_id"] else {}
    await work.upsert(devices, ("address_sha256", "order_id"), **{**values, **begun})
    row = await work.first(_at_address, PushDeviceRow, **at)
    assert row
    return row


async def list_devices(work: UnitOfWork, user_id: int, order_id: int) -> Sequence[PushDeviceRow]:
    """Return an owner's devices, latest registration first."""
    return await work.all(_own, PushDeviceRow, user=user_id, order=order_id)


async def list_devices_for(work: UnitOfWork, user_ids: Collection[int], order_id: int) -> Sequence[PushDeviceRow]:
    """Return the devices of users, and those of an order's recipient."""
    return await work.all(_of_people, PushDeviceRow, users=sorted(user_ids), order=order_id)


async def delete_devices(work: UnitOfWork, ids: Collection[int]) -> None:
    """Delete devices."""
    if ids:
        await work.run(_delete, ids=sorted(ids))
