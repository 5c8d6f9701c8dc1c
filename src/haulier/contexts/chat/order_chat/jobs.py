"""What happens in a chat is pushed to the broker and to devices, after the commit."""

from haulier.contexts.chat.order_chat.actions import devices
from haulier.contexts.chat.order_chat.actions.channel import push_chat
from haulier.contexts.chat.order_chat.actions.devices import DEVICE_JOB, WAKE_JOB, WakeDevice, WakeForMessage
from haulier.contexts.chat.order_chat.actions.messages import PUSH_JOB, PushChat
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(PUSH_JOB, PushChat, lane="outside", max_attempts=20)
async def push_changed_chat(run: JobRun, args: PushChat) -> None:
    """Bring the broker what it does not have of a chat. A broker that is away is tried again."""
    await push_chat(run, args.order_id)


@job(WAKE_JOB, WakeForMessage)
async def wake_for_message(run: JobRun, args: WakeForMessage) -> None:
    """Find the devices that should hear of a message."""
    async with run.call() as call:
        await devices.wake_for_message(call, args.message_id)


@job(DEVICE_JOB, WakeDevice, lane="outside")
async def wake_device(run: JobRun, args: WakeDevice) -> None:
    """Wake one device. A service that is away is tried again."""
    await devices.wake_device(run, args)
