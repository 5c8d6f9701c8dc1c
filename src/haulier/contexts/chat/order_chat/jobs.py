"""What happens in a chat is pushed to the broker, after the commit."""

from haulier.contexts.chat.order_chat.actions.channel import push_chat
from haulier.contexts.chat.order_chat.actions.messages import PUSH_JOB, PushChat
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(PUSH_JOB, PushChat, lane="outside", max_attempts=20)
async def push_changed_chat(run: JobRun, args: PushChat) -> None:
    """Bring the broker what it does not have of a chat. A broker that is away is tried again."""
    await push_chat(run, args.order_id)
