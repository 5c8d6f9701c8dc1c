"""Long polls: devices wait for commands without an open transaction."""

import asyncio

from pydantic import SecretStr

from haulier.contexts.lockers.devices.queries import find_device_of_credential
from haulier.contexts.lockers.devices.store import devices as store
from haulier.kernel.application import Application
from haulier.kernel.data.notices import client_subject

LOOK_AGAIN_S = 5
"""Seconds between polls of the database, since notices can be lost with their sender."""


async def wait_for_command(app: Application, credential: SecretStr, wait_s: int) -> None:
    """Wait until the device has commands or the time is over.

    Returns at once for an invalid credential.
    """
    whose = await find_device_of_credential(app, credential.get_secret_value())
    if whose is None:
        return
    client_id, device_id = whose
    woken = asyncio.Event()
    subject = client_subject(client_id, device_id)
    unlisten = await app.database.listen(store.COMMANDS_CHANNEL, lambda _: woken.set(), subject)
    try:
        async with asyncio.timeout(wait_s):
            while True:
                woken.clear()  # subscribe before reading: a notice in between must not be lost
                if await _waits(app, client_id, device_id):
                    return
                try:
                    async with asyncio.timeout(LOOK_AGAIN_S):
                        await woken.wait()
                except TimeoutError:
                    continue
    except TimeoutError:
        return
    finally:
        unlisten()


async def _waits(app: Application, client_id: int, device_id: int) -> bool:
    async with app.database.read(client_id) as work:
        return await store.count_waiting_commands(work, device_id, app.clock()) > 0
