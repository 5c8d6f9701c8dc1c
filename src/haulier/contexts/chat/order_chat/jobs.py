"""Jobs that push chat changes to the broker and to devices after the commit."""

from haulier.contexts.chat.order_chat import actions
from haulier.contexts.chat.order_chat.actions import (
    DEVICE_JOB,
    PUSH_JOB,
    WAKE_JOB,
    PushChat,
    WakeDevice,
    WakeForMessage,
    push_chat,
)
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(PUSH_JOB, PushChat, queue="outside", max_attempts=20)
async def push_changed_chat(run: JobRun, args: PushChat) -> None:
    """Push pending changes of a chat to the broker. Retried if it is unavailable."""
    await push_chat(run, args.order_id)


@job(WAKE_JOB, WakeForMessage)
async def enqueue_pushes_job(run: JobRun, args: WakeForMessage) -> None:
    """Find the devices to notify about a message."""
    async with run.call() as call:
        await actions.enqueue_pushes(call, args.message_id)


@job(DEVICE_JOB, WakeDevice, queue="outside")
async def send_push_job(run: JobRun, args: WakeDevice) -> None:
    """Notify one device. Retried if the push service is unavailable."""
    await actions.send_push(run, args)
