"""Setup of locker tests: a site with a locker bank and device, and parcels."""

from typing import Any

from tests.contexts.lockers.examples import ADA, SITE
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.contexts.lockers.device_alarms.jobs import watch_devices
from haulier.contexts.lockers.device_alarms.rules import WatchDevices
from haulier.kernel.job_run import JobRun

SENDER = {**ADDRESS, "email": "ada@example.com"}
MOMENT = "2026-06-10T14:00:00Z"
"""When a device says something, where it does not matter."""


class Cabinet:
    """A locker bank with its device, which sends its credential and sequence numbers."""

    def __init__(self, app: App, site_id: int, device_id: int, credential: str) -> None:
        self.app, self.site_id, self.device_id, self.credential = app, site_id, device_id, credential
        self.id = 0
        self.sequence = 0

    def frame(self, **said: Any) -> dict[str, Any]:
        self.sequence += 1
        return {"credential": self.credential, "sequence": self.sequence, **said}

    async def says(self, operation: str, **said: Any) -> Any:
        return await self.app.answer(None, operation, self.frame(**said))

    async def asks(self) -> list[Any]:
        answer = await self.app.answer(None, "poll_device_commands", {"credential": self.credential})
        return answer.commands

    async def does(self, outcome: str = "done", **said: Any) -> list[Any]:
        """Do all that waits. Returns the commands."""
        commands = await self.asks()
        for each in commands:
            await self.says("report_device_command", command_id=each.id, outcome=outcome, **said)
        return commands


async def make_device(app: App, serial: str = "CAB-00017", **terms: Any) -> tuple[int, str]:
    """A device that is registered: its id and its credential."""
    made = await app.answer("admin", "create_device", {"name": "Left", "serial": serial, **terms})
    shown = {"code": made.code, "serial": serial}
    return made.device.id, (await app.answer(None, "register_device", shown)).credential


async def make_cabinet(app: App, layout: list[dict[str, Any]] | None = None, **site: Any) -> Cabinet:
    """A site with one cabinet, of two small boxes unless said otherwise."""
    place = (await app.answer("admin", "create_locker_site", {**SITE, **site})).site
    device_id, credential = await make_device(app, f"CAB-{place.id}")
    cabinet = Cabinet(app, place.id, device_id, credential)
    added = {"site_id": place.id, "code": "A", "device_id": device_id, "layout": layout or [{"size": "s", "count": 2}]}
    cabinet.id = (await app.answer("admin", "add_locker_cabinet", added)).cabinet.id
    return cabinet


async def reserved(app: App, site_id: int, **terms: Any) -> Any:
    """A parcel that has a box: Ada's unless said otherwise."""
    whose = {} if "order_id" in terms else {"recipient": ADA}
    return (await app.answer("admin", "reserve_locker_box", {"site_id": site_id, **whose, **terms})).parcel


async def deposited(app: App, cabinet: Cabinet, **terms: Any) -> Any:
    """A parcel that is in its box."""
    parcel = await reserved(app, cabinet.site_id, **terms)
    await app.answer("admin", "deposit_locker_parcel", {"locker_parcel_id": parcel.id})
    await cabinet.does()
    return parcel


async def make_order_for(app: App, cabinet: Cabinet, **terms: Any) -> int:
    """An order that goes into a locker; its id."""
    order_id = await make_order(app, consignee=terms.pop("consignee", make_contact()))
    await app.answer("admin", "deliver_to_locker", {"order_id": order_id, "site_id": cabinet.site_id, **terms})
    return order_id


async def parcel_now(app: App, parcel_id: int) -> Any:
    """A parcel as the office sees it now."""
    return (await app.answer("admin", "get_locker_parcel", {"locker_parcel_id": parcel_id})).parcel


async def refusal(app: App, who: str | None, operation: str, values: dict[str, Any]) -> tuple[int, str]:
    """The status and code of a call that is refused."""
    answer = await app.call(who, operation, values, confirmed=True)
    assert answer.error
    return answer.status, answer.error["code"]


async def make_return(app: App, who: str = "admin") -> int:
    """Create an order that is collected at a customer's home."""
    return (await app.answer(who, "create_order", {"type": "P", "shipper": SENDER})).order.id


async def drop_off(app: App, order_id: int, cabinet: Cabinet, **terms: Any) -> Any:
    """Reserve a compartment for the drop-off of an order, with its code."""
    asked = {"order_id": order_id, "site_id": cabinet.site_id, **terms}
    return await app.answer("admin", "drop_off_at_locker", asked)


async def make_requested_door(app: App, cabinet: Cabinet) -> int:
    """Open the first compartment as staff; return the id of the command."""
    box = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes[0]
    opened = {"box_id": box.id, "reason": "a look"}
    return (await app.answer("admin", "open_locker_box", opened, confirmed=True)).command.id


async def watched(app: App) -> None:
    """Run the device supervision of the business now."""
    await watch_devices.handler(JobRun(app.application, app.clients["demo"], 1, 1), WatchDevices())


async def online(app: App, cabinet: Cabinet) -> bool:
    """Return True if the device of a locker bank is online."""
    return (await app.answer("admin", "get_device", {"device_id": cabinet.device_id})).device.online


async def state_of(app: App, cabinet: Cabinet, command_id: int) -> str:
    """Return the state of a command."""
    listed = (await app.answer("admin", "list_device_commands", {"device_id": cabinet.device_id})).commands
    return next(each.status for each in listed if each.id == command_id)
