"""Pushes to devices over the broker: commands and disconnections."""

import msgspec

from haulier.contexts.lockers.devices.actions.commands import hand_out_commands
from haulier.contexts.lockers.devices.actions.tickets import TICKETS_ABOUT, device_topic
from haulier.contexts.lockers.devices.contract.frames import CommandPush
from haulier.contexts.lockers.devices.rules import DeviceState
from haulier.contexts.lockers.devices.store.devices import DeviceRow
from haulier.contexts.messaging.public import Channel, list_ticket_holders, revoke_lost_tickets
from haulier.kernel.job_run import JobRun


async def push_to_device(run: JobRun, device_id: int) -> None:
    """Close revoked connections of a device and push its waiting commands.

    Raises `ChannelUnavailable`. Commands may be pushed twice; a device executes each once.
    """
    holders = await list_ticket_holders(run, TICKETS_ABOUT, device_id)
    if not holders or run.client_id is None:
        return
    async with run.app.database.read(run.client_id) as work:
        device = await DeviceRow.get(work, device_id)
    active = device is not None and device.status == DeviceState.ACTIVE
    await revoke_lost_tickets(run, TICKETS_ABOUT, device_id, {max(holders, key=int)} if active else ())
    if not active:
        return
    async with run.call() as call:
        commands = await hand_out_commands(call, device_id)
    if commands:
        channel = run.app.adapter(Channel)
        pushes = (CommandPush(**msgspec.structs.asdict(frame)) for frame in commands)
        await channel.publish(
            device_topic(channel, run.client_id, device_id, "command"), *map(msgspec.json.encode, pushes)
        )
