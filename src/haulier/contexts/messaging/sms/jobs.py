"""The test message that an admin sends to a phone."""

from msgspec import Struct

from haulier.contexts.messaging.ports import SmsRefused
from haulier.contexts.messaging.sms.actions import deliver_sms
from haulier.kernel.background import PermanentJobFailure
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

TEST_JOB = "texting.test"


class SendTestMessage(Struct, frozen=True, kw_only=True):
    """A message that only shows that messages arrive."""

    phone: str
    business: str
    language: str


@job(TEST_JOB, SendTestMessage, max_attempts=1)
async def send_test_message(run: JobRun, args: SendTestMessage) -> None:
    """Send the message, without a second attempt: the admin is looking at the phone."""
    text = run.app.catalogues.translate(args.language, "sms_test", business=args.business)
    try:
        await deliver_sms(run.app, run.client_id or 0, args.phone, text)
    except SmsRefused as error:
        raise PermanentJobFailure(str(error)) from None
