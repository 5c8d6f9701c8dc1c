"""The interface of messaging for other contexts."""

from haulier.contexts.messaging.campaigns.queries import is_number_suppressed
from haulier.contexts.messaging.channels.actions import IssuedTicket as IssuedTicket
from haulier.contexts.messaging.channels.actions import check_sign_in as check_sign_in
from haulier.contexts.messaging.channels.actions import issue_ticket as issue_ticket
from haulier.contexts.messaging.channels.actions import list_ticket_holders as list_ticket_holders
from haulier.contexts.messaging.channels.actions import revoke_lost_tickets as revoke_lost_tickets
from haulier.contexts.messaging.channels.rules import TicketHolder as TicketHolder
from haulier.contexts.messaging.channels.rules import make_topic as make_topic
from haulier.contexts.messaging.ports import Channel as Channel
from haulier.contexts.messaging.ports import ChannelFrame as ChannelFrame
from haulier.contexts.messaging.ports import ChannelUnavailable as ChannelUnavailable
from haulier.contexts.messaging.ports import SecretUnreadable as SecretUnreadable
from haulier.contexts.messaging.ports import SecretVault as SecretVault
from haulier.contexts.messaging.ports import SmsRefused as SmsRefused
from haulier.contexts.messaging.ports import SmsSender as SmsSender
from haulier.contexts.messaging.sms import actions
from haulier.contexts.messaging.sms.queries import can_send_sms as can_send_sms
from haulier.kernel.application import Application


async def send_sms(app: Application, client_id: int, phone: str, text: str) -> None:
    """Send an SMS to an E.164 number for a client.

    Uses its own account or the platform's. For jobs. Raises `SmsRefused` for a message that will never be accepted,
    including those to numbers that replied STOP, and `OSError` if it is not accepted now.
    """
    if await is_number_suppressed(app, client_id, phone):
        raise SmsRefused("the number is on the client's list of those that get no texts", "suppressed")
    await actions.deliver_sms(app, client_id, phone, text)
