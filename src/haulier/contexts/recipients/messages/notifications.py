"""Composition and sending of recipient messages.

Messages are composed on sending, in the recipient's language, if they are still true.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time
from msgspec import UNSET, Struct
from msgspec.structs import replace

from haulier.contexts.identity.public import (
    get_client_language,
    require_client,
    send_mail_to_address,
)
from haulier.contexts.messaging.public import SmsRefused, can_send_sms, send_sms
from haulier.contexts.orders.public import (
    OrderPart,
    RecipientFacts,
    get_delivery_pin,
    get_pickup_depots,
    get_recipient_facts,
    list_order_parts,
)
from haulier.contexts.otep.public import DeliveryOutcome, HandedTo
from haulier.contexts.recipients.deliveries.queries import get_sender_name, list_choosable_windows, load_proof
from haulier.contexts.recipients.messages import store
from haulier.contexts.recipients.messages.rules import (
    DAILY_MAX,
    TELLING_THE_PIN,
    TRUE_IN,
    MessageTexts,
    MessageWording,
    RecipientMessage,
    Transport,
    fill_placeholders,
    sms_number,
)
from haulier.contexts.recipients.messages.store import RecipientMessageRow
from haulier.contexts.tracking.public import describe_delivery
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.ids import hash_token
from haulier.rendering.mail import with_facts

SEND_JOB = "recipients.messages"
ATTEMPTS = 8
ONE_DAY = timedelta(days=1)
ACTIONS: Mapping[str, str] = {
    RecipientMessage.MISSED: "choose",
    MessageWording.MISSED_NO_WINDOW: "instruct",
    RecipientMessage.DELIVERED: "proof",
}
"""Labels of buttons other than the one that opens the tracking page."""
FACTS = ("number", "sender")
STANDARD = MessageTexts()
QUEUED, SENDING, SENT, DROPPED, FAILED = "queued", "sending", "sent", "dropped", "failed"
NEVER_SENT = frozenset({DROPPED, FAILED})


class QueuedMessage(Struct, frozen=True, kw_only=True):
    """Message of a job."""

    id: int
    order_id: int
    message: str
    transport: str


class SendRecipientMessages(Struct, frozen=True, kw_only=True):
    """Messages to send."""

    messages: list[QueuedMessage]


class RecipientEmail(Struct, frozen=True, kw_only=True):
    """Message that is ready to send.

    `to` is an email address, or a number in E.164. An SMS has no subject.
    """

    to: str
    subject: str
    text: str
    language: str
    action: str = ""
    """Label of the button for the link."""
    facts: tuple[tuple[str, str], ...] = ()
    """Tracking number and sender, which the text also has."""


@job(SEND_JOB, SendRecipientMessages, max_attempts=ATTEMPTS)
async def send_recipient_messages(run: JobRun, args: SendRecipientMessages) -> None:
    """Send the queued messages that are still true.

    Each message is settled separately, so that a repeat sends only the rest.
    """
    fault: OSError | None = None
    for each in args.messages:
        try:
            await _send_message(run, each.id, Transport(each.transport))
        except OSError as error:
            fault = error
            state, reason = (FAILED, "unavailable") if run.attempt >= ATTEMPTS else (QUEUED, None)
            await _record_outcome(run, each.id, state, reason)
    if fault is not None:
        raise fault


async def _send_message(run: JobRun, message_id: int, transport: Transport) -> None:
    async with run.call() as call:
        letter = await _prepare_email(call, message_id)
    if letter is None:
        return
    try:
        if transport is Transport.SMS:
            await send_sms(run.app, run.client_id or 0, letter.to, letter.text)
        else:
            await send_mail_to_address(
                run.app,
                run.client_id,
                to=letter.to,
                subject=letter.subject,
                text=letter.text,
                language=letter.language,
                action=letter.action,
                facts=letter.facts,
            )
    except SmsRefused as error:
        await _record_outcome(run, message_id, FAILED, error.code or "refused")
    else:
        await _record_outcome(run, message_id, SENT)


async def _record_outcome(run: JobRun, message_id: int, state: str, fault: str | None = None) -> None:
    async with run.call() as call:
        await store.update_recipient_message(call.work, message_id, state, call.now, fault)


async def _prepare_email(call: Call, message_id: int) -> RecipientEmail | None:
    """Return the text of a queued message, or None if it must not be sent.

    None is returned for a message already sent, or outdated; the latter is recorded.
    """
    # Lock so that parallel workers count the limit of an address one message at a time.
    policy = await store.get_message_policy(call.work, lock=True)
    row = await RecipientMessageRow.lock(call.work, message_id)
    if row is not None and row.state == SENDING:
        # The process ended while sending, so the outcome is unknown. A lost message is better than repeated ones.
        await store.update_recipient_message(call.work, row.id, FAILED, call.now, "interrupted")
    if policy is None or row is None or row.state != QUEUED:
        return None
    message, transport = RecipientMessage(row.message), Transport(row.transport)
    order = (await get_recipient_facts(call, [row.order_id])).get(row.order_id)
    letter = await compose_email(call, order, message, transport, row.facts) if order else None
    fault = "no_address" if order is None or letter is None else await _why_not(call, order, row, letter)
    if fault or letter is None:
        await store.update_recipient_message(call.work, row.id, DROPPED, call.now, fault)
        return None
    await store.record_try(call.work, row.id, _digest(letter.to), call.now)
    return letter


async def _why_not(
    call: Call, order: RecipientFacts, row: store.RecipientMessageRow, letter: RecipientEmail
) -> str | None:
    """Return the reason why a message can no longer be sent, or None."""
    message, transport = RecipientMessage(row.message), Transport(row.transport)
    if order.status not in TRUE_IN[message]:
        return "over"
    if message is RecipientMessage.READY_FOR_PICKUP and order.pickup_ready_at is None:
        return "over"
    if message is RecipientMessage.SCHEDULED and order.window_end and order.window_end <= call.now:
        return "over"
    if transport is Transport.SMS and not await can_send_sms(call.app, call.work):
        return "sms_not_set_up"
    if corrected := row.facts.get("corrects"):
        wrong = await RecipientMessageRow.lock(call.work, corrected)
        if wrong is None or wrong.state not in {SENDING, SENT}:
            return "over"
    digest, since = _digest(letter.to), call.now - ONE_DAY
    tried = await store.count_tried_since(call.work, digest, since, except_id=row.id)
    return "too_many" if tried >= DAILY_MAX[transport] else None


def _digest(address: str) -> bytes:
    return hash_token(address.strip().lower())


async def compose_email(
    call: Call, order: RecipientFacts, message: RecipientMessage, transport: Transport, facts: Mapping[str, Any]
) -> RecipientEmail | None:
    """Compose a message in the recipient's language.

    Return None if there is no address for it.
    """
    address = order.consignee or {}
    to = sms_number(address) if transport is Transport.SMS else address.get("email")
    if not to:
        return None
    client = await require_client(call.work, call.client_id)
    language = order.language or get_client_language(client)
    # Drivers of another business do not ask for the PIN of this one.
    tells_pin = message.value in TELLING_THE_PIN and not order.third_party_held
    pin = await get_delivery_pin(call, order.id) if tells_pin else None
    if message is RecipientMessage.READY_FOR_PICKUP:
        when, pin = await _pickup_words(call, language, order, pin), None
    else:
        when = when_words(call.app, language, call.time_zone, order, _day_of(facts))
    params = {
        "client": client.name,
        "name": address.get("name") or "",
        "sender": await get_sender_name(call, order) or client.name,
        "number": order.tracking_number,
        "link": f"{call.app.base_url}/track/{quote(order.tracking_number, safe='')}",
        "stops": facts.get("stops", 0),
        "pin": pin or "",
        "outcome": await _outcome_words(call, order, language) if message is RecipientMessage.DELIVERED else "",
        "when": f"{when} {call.app.catalogues.translate(language, 'recipient.pin', pin=pin)}" if pin else when,
    }
    words = await _words_of(call, order, message)
    own = (await store.list_message_texts(call.work, [words], language)).get(words, STANDARD)
    letter = render_email(call.app, language, words, transport, to, params, own)
    parts = await list_order_parts(call, order.id)
    part = next((each for each in parts if each.order_id == order.id), None)
    return letter if part is None or part.total < 2 else _of_part(call.app, language, letter, part)


def _of_part(app: Application, language: str, letter: RecipientEmail, part: OrderPart) -> RecipientEmail:
    """Return a message that says which parcel of the order it is about."""

    def say(words: str, text: str) -> str:
        return app.catalogues.translate(language, f"recipient.{words}", text=text, number=part.number, count=part.total)

    if not letter.subject:
        return replace(letter, text=say("part_sms", letter.text))
    greeting, _, rest = letter.text.partition("\n\n")
    sentence = say("part_sentence", "")
    return replace(letter, subject=say("part_subject", letter.subject), text=f"{greeting}\n\n{sentence}\n\n{rest}")


async def _outcome_words(call: Call, order: RecipientFacts, language: str) -> str:
    """Return the place and the number of missing packages, without names.

    The text is empty if the delivery is complete.
    """
    proof = await load_proof(call, order)
    if proof is None:
        return ""
    sentences: list[str] = []
    if proof.handed_to not in (None, HandedTo.RECIPIENT):
        outcome = DeliveryOutcome(handed_to=proof.handed_to.value, left_at=proof.left_at or UNSET)
        sentences.append(f"{describe_delivery(call.app, language, outcome)}.")
    if proof.pieces_left:
        sentences.append(call.app.catalogues.translate(language, "recipient.pieces_left", count=proof.pieces_left))
    return "".join(f"\n\n{sentence}" for sentence in sentences)


async def _pickup_words(call: Call, language: str, order: RecipientFacts, pin: str | None) -> str:
    """Return sentences about depot, last day and pickup code."""
    depot = (await get_pickup_depots(call, [order])).get(order.pickup_depot_id or 0)
    day = order.pickup_until and format_date(order.pickup_until, "full", language.replace("-", "_"))
    return call.app.catalogues.translate(
        language,
        "recipient.pickup",
        depot=depot.name if depot else "",
        address=depot.address if depot else "",
        day=day or "",
        pin=pin or "",
    )


async def _words_of(call: Call, order: RecipientFacts, message: RecipientMessage) -> str:
    """Return the text key of a message.

    A recipient without available windows is not asked to choose one.
    """
    if message is RecipientMessage.MISSED and not await list_choosable_windows(call, order):
        return MessageWording.MISSED_NO_WINDOW
    if message is RecipientMessage.DELIVERED and order.pickup_depot_id is not None:
        return MessageWording.COLLECTED
    return message.value


def render_email(
    app: Application,
    language: str,
    words: str,
    transport: Transport,
    to: str,
    params: Mapping[str, Any],
    own: MessageTexts = STANDARD,
) -> RecipientEmail:
    """Return a message composed from the business's wording, or from the standard one."""
    say = app.catalogues.translate

    def worded(part: str, text: str | None) -> str:
        return fill_placeholders(text, params) if text else say(language, f"recipient.{words}_{part}", **params)

    if transport is Transport.SMS:
        return RecipientEmail(to=to, subject="", text=worded("sms", own.sms), language=language)
    named = ((f"recipient.fact_{name}", params[name]) for name in FACTS)
    facts = tuple((say(language, label), value) for label, value in named)
    return RecipientEmail(
        to=to,
        subject=worded("subject", own.subject),
        text=with_facts(worded("text", own.text), facts),
        language=language,
        action=say(language, f"recipient.action_{ACTIONS.get(words, 'track')}"),
        facts=facts,
    )


def _day_of(facts: Mapping[str, Any]) -> date | None:
    return date.fromisoformat(facts["day"]) if facts.get("day") else None


def when_words(app: Application, language: str, zone: ZoneInfo, order: RecipientFacts, day: date | None = None) -> str:
    """Return a sentence about the delivery time.

    It names the promised window or the day, or says that the time is not yet known.
    """
    locale, start, end = language.replace("-", "_"), order.window_start, order.window_end
    if start is None and end is None:
        known = day or order.scheduled_date
        if known is None:
            return app.catalogues.translate(language, "recipient.when_open")
        return app.catalogues.translate(language, "recipient.when_day", day=format_date(known, "full", locale))
    local: dict[str, datetime] = {
        name: moment.astimezone(zone) for name, moment in (("start", start), ("end", end)) if moment
    }
    times = {name: format_time(moment.timetz(), "short", locale=locale) for name, moment in local.items()}
    which = "window" if len(times) == 2 else "from" if start else "until"
    first = next(iter(local.values()))
    words = {"day": format_date(first.date(), "full", locale), **times}
    return app.catalogues.translate(language, f"recipient.when_{which}", **words)
