"""Operations on messages."""

from collections.abc import Callable, Sequence
from datetime import time

from babel.dates import format_date

from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import get_client_language, require_client, require_customer
from haulier.contexts.orders.public import get_recipient_facts
from haulier.contexts.recipients.brand.queries import load_mail_brand
from haulier.contexts.recipients.messages import store
from haulier.contexts.recipients.messages.contract import (
    CustomerRecipientMessages,
    ListOrderMessages,
    OrderMessages,
    PreviewRecipientMessages,
    RecipientCustomerRef,
    RecipientMessagePreview,
    RecipientMessagePreviews,
    RecipientMessages,
    RecipientMessagesAnswer,
    RecipientMessageTemplate,
    RecipientMessageTextAnswer,
    SentRecipientMessage,
    SetCustomerRecipientMessages,
    SetRecipientMessages,
    SetRecipientMessageText,
)
from haulier.contexts.recipients.messages.notifications import STANDARD, render_email
from haulier.contexts.recipients.messages.rules import (
    COMMON_PLACEHOLDERS,
    SWITCHES,
    CustomerPolicy,
    MessagePolicy,
    MessageTexts,
    MessageWording,
    Transport,
    find_missing_placeholders,
    find_unknown_placeholders,
    list_placeholders,
    policy_for_customer,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.rendering.mail import render_mail


@reads(
    "list_order_messages",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/orders/{order_id}/recipient-messages", area=Area.ORDERS), GraphQL("orderMessages")),
    errors=(NOT_FOUND,),
)
async def list_order_messages(call: Call, request: ListOrderMessages) -> OrderMessages:
    """List messages to an order's recipient.

    Includes sent and queued messages, and dropped messages with the reason.
    """
    if not await get_recipient_facts(call, [request.order_id]):
        raise record_not_found(order_id=request.order_id)
    rows = await store.list_messages_of_order(call.work, request.order_id)
    return OrderMessages(
        messages=[
            record(
                SentRecipientMessage,
                row,
                due_at=call.local_time(row.due_at),
                settled_at=call.local_time(row.settled_at),
            )
            for row in rows
        ]
    )


PATH = "/v1/client/profile/recipient-messages"
CUSTOMER_PATH = f"{PATH}/customers/{{customer_id}}"
EXAMPLE_NUMBER = "HLTR16KD5632GCM"
EXAMPLE_STOPS = 2
EXAMPLE_PIN = "4711"
TEXT_PARTS = ("subject", "text", "sms")
EXAMPLE_ADDRESS = "100 Queen St W, Toronto"


@reads(
    "get_recipient_messages",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PATH), GraphQL("recipientMessages")),
)
async def get_recipient_messages(call: Call, request: EmptyRequest) -> RecipientMessagesAnswer:
    """Get the recipient message settings.

    Includes the channel of each message and the quiet hours for SMS.
    """
    return _policy_answer(await store.get_message_policy(call.work) or MessagePolicy())


@writes(
    "set_recipient_messages",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", PATH), GraphQL("setRecipientMessages")),
)
async def set_recipient_messages(call: Call, request: SetRecipientMessages) -> RecipientMessagesAnswer:
    """Set the recipient message settings.

    The settings apply to future events. No messages are sent about past events.
    """
    if (request.quiet_from is None) is not (request.quiet_until is None):
        missing = "quiet_from" if request.quiet_from is None else "quiet_until"
        raise INVALID_REQUEST.for_fields(FieldError(missing, "field.quiet_both"))
    policy = MessagePolicy(
        channels=_chosen_channels(request),
        stops_before=request.stops,
        quiet_from=request.quiet_from,
        quiet_until=request.quiet_until,
    )
    await store.upsert_message_policy(call.work, policy, call.now)
    call.add_audit_subjects("client", call.client_id)
    return _policy_answer(policy)


@reads(
    "get_customer_recipient_messages",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", CUSTOMER_PATH), GraphQL("customerRecipientMessages")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def get_customer_recipient_messages(call: Call, request: RecipientCustomerRef) -> CustomerRecipientMessages:
    """Get a customer's recipient message settings."""
    await require_customer(call.work, request.customer_id)
    return await _customer_answer(call, request.customer_id)


@writes(
    "set_customer_recipient_messages",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", CUSTOMER_PATH), GraphQL("setCustomerRecipientMessages")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def set_customer_recipient_messages(
    call: Call, request: SetCustomerRecipientMessages
) -> CustomerRecipientMessages:
    """Set a customer's recipient message settings.

    Use this for a shop that writes to its buyers itself, for example.
    """
    await require_customer(call.work, request.customer_id, lock=True)
    if await store.get_message_policy(call.work) is None:
        await store.upsert_message_policy(call.work, MessagePolicy(), call.now)
    policy = CustomerPolicy(channels=_chosen_channels(request), stops_before=request.stops)
    await store.upsert_customer_policy(call.work, request.customer_id, policy, call.now)
    call.add_audit_subjects("user", request.customer_id)
    return await _customer_answer(call, request.customer_id)


@reads(
    "preview_recipient_messages",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", f"{PATH}/preview"), GraphQL("recipientMessagePreviews")),
)
async def preview_recipient_messages(call: Call, request: PreviewRecipientMessages) -> RecipientMessagePreviews:
    """Preview the texts of all recipient messages.

    Returns the texts in one language for a sample delivery, and their wording with placeholders.
    """
    client = await require_client(call.work, call.client_id)
    language = request.language or get_client_language(client)
    own = await store.list_message_texts(call.work, list(MessageWording), language)
    show = await _previewer(call, client.name, language)
    return RecipientMessagePreviews(
        language=language, previews=[show(message, own.get(message, STANDARD)) for message in MessageWording]
    )


@writes(
    "set_recipient_message_text",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", f"{PATH}/texts/{{message}}/{{language}}"), GraphQL("setRecipientMessageText")),
)
async def set_recipient_message_text(call: Call, request: SetRecipientMessageText) -> RecipientMessageTextAnswer:
    """Set the wording of a recipient message.

    Replaces the subject, email text and SMS text in one language. Texts that are omitted or equal to the standard
    wording follow the standard wording. Queued messages are sent with the new wording.
    """
    standard = _standard_template(call, request.message, request.language)
    texts = _differing(request, standard)
    _check_placeholders(request.message, texts, standard)
    await store.upsert_message_texts(call.work, request.message, request.language, texts, call.now)
    call.add_audit_subjects("client", call.client_id)
    client = await require_client(call.work, call.client_id)
    show = await _previewer(call, client.name, request.language)
    return RecipientMessageTextAnswer(language=request.language, preview=show(request.message, texts))


def _standard_template(call: Call, message: MessageWording, language: str) -> RecipientMessageTemplate:
    words = call.app.catalogues.words(language)
    parts = {part: str(words[f"recipient.{message}_{part}"]) for part in TEXT_PARTS}
    return RecipientMessageTemplate(**parts)


def _differing(request: SetRecipientMessageText, standard: RecipientMessageTemplate) -> MessageTexts:
    """Return the given texts that differ from the standard wording."""
    given = {part: getattr(request, part) for part in TEXT_PARTS}
    return MessageTexts(**{part: text for part, text in given.items() if text != getattr(standard, part)})


def _placeholders(standard: RecipientMessageTemplate) -> list[str]:
    """Return the allowed placeholders: the common ones and those of the standard."""
    used = list_placeholders(standard.subject, standard.text, standard.sms)
    return list(dict.fromkeys([*COMMON_PLACEHOLDERS, *used]))


def _check_placeholders(message: MessageWording, texts: MessageTexts, standard: RecipientMessageTemplate) -> None:
    """Raise `INVALID_REQUEST` for unknown or missing placeholders."""
    allowed = _placeholders(standard)
    faults: list[FieldError] = []
    for part in TEXT_PARTS:
        text = getattr(texts, part)
        if text is None:
            continue
        if unknown := find_unknown_placeholders(text, allowed):
            faults.append(
                FieldError(
                    part, "field.unknown_placeholders", {"unknown": ", ".join(unknown), "allowed": _named(allowed)}
                )
            )
        elif missing := find_missing_placeholders(message, text, getattr(standard, part)):
            faults.append(FieldError(part, "field.missing_placeholders", {"missing": _named(missing)}))
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


async def _previewer(
    call: Call, business: str, language: str
) -> Callable[[MessageWording, MessageTexts], RecipientMessagePreview]:
    """Return a function that composes a message for a sample delivery."""
    say = call.app.catalogues.translate
    params = {
        "client": business,
        "name": "Ada Lovelace",
        "sender": business,
        "number": EXAMPLE_NUMBER,
        "link": f"{call.app.base_url}/track/{EXAMPLE_NUMBER}",
        "stops": EXAMPLE_STOPS,
        "pin": EXAMPLE_PIN,
        "outcome": "",
        "when": say(language, "recipient.when_open"),
    }
    brand = await load_mail_brand(call.work, call.client_id)
    at_depot = {"depot": business, "address": EXAMPLE_ADDRESS, "pin": EXAMPLE_PIN}
    day = format_date(call.today, "full", language.replace("-", "_"))
    pickup = {**params, "when": say(language, "recipient.pickup", day=day, **at_depot)}

    def show(message: MessageWording, own: MessageTexts) -> RecipientMessagePreview:
        facts = pickup if message is MessageWording.READY_FOR_PICKUP else params
        mail, text = (
            render_email(call.app, language, message.value, transport, "", facts, own)
            for transport in (Transport.EMAIL, Transport.SMS)
        )
        html = render_mail(mail.subject, mail.text, brand, language=language, action=mail.action, facts=mail.facts)
        standard = _standard_template(call, message, language)
        return RecipientMessagePreview(
            message=message.value,
            subject=mail.subject,
            text=mail.text,
            html=html,
            sms=text.text,
            template=RecipientMessageTemplate(
                **{part: getattr(own, part) or getattr(standard, part) for part in TEXT_PARTS}
            ),
            customized=[part for part in TEXT_PARTS if getattr(own, part)],
            placeholders=_placeholders(standard),
        )

    return show


def _chosen_channels(request: Request) -> dict[str, str]:
    chosen = {message.value: getattr(request, message.value) for message in SWITCHES}
    return {message: channel.value for message, channel in chosen.items() if channel is not None}


def _policy_answer(policy: MessagePolicy) -> RecipientMessagesAnswer:
    return RecipientMessagesAnswer(
        messages=_messages(policy), quiet_from=_clock(policy.quiet_from), quiet_until=_clock(policy.quiet_until)
    )


async def _customer_answer(call: Call, customer_id: int) -> CustomerRecipientMessages:
    business = await store.get_message_policy(call.work) or MessagePolicy()
    own = (await store.list_customer_policies(call.work, [customer_id])).get(customer_id)
    policy = policy_for_customer(business, own)
    names = [*own.channels, *(["stops"] if own.stops_before else [])] if own else []
    return CustomerRecipientMessages(customer_id=customer_id, messages=_messages(policy), own=sorted(names))


def _messages(policy: MessagePolicy) -> RecipientMessages:
    channels = {message.value: policy.channel(message) for message in SWITCHES}
    return RecipientMessages(**channels, stops=policy.stops_before)


def _clock(moment: time | None) -> str | None:
    return None if moment is None else moment.isoformat("minutes")
