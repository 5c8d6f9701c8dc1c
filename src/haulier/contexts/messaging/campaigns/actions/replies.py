"""What recipients answer counts at once; what providers tell of texts is written down."""

from hashlib import blake2b
from secrets import token_hex
from typing import Any

from haulier.contexts.messaging.campaigns.actions.contacts import (
    lock_rights,
    revoke_consents,
    suppress_number,
    write_consents,
)
from haulier.contexts.messaging.campaigns.contract.contacts import ConsentMethod
from haulier.contexts.messaging.campaigns.contract.suppressions import SuppressionList, SuppressionReason
from haulier.contexts.messaging.campaigns.rules.keywords import ReplyMeaning, meaning_of
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.lifecycle import SETTLED, MessageState, next_message_state
from haulier.contexts.messaging.campaigns.rules.numbers import number_key
from haulier.contexts.messaging.campaigns.store import consents as consent_store
from haulier.contexts.messaging.campaigns.store import contacts as contact_store
from haulier.contexts.messaging.campaigns.store import messages as message_store
from haulier.contexts.messaging.campaigns.store import replies as store
from haulier.contexts.messaging.campaigns.store import suppressions as suppression_store
from haulier.contexts.messaging.campaigns.store.tables import WORDING_MAX, SmsMessageRow
from haulier.contexts.messaging.ports import SmsAnswered, SmsReceipt
from haulier.kernel.call import Call
from haulier.kernel.operations.text_safety import replace_unstorable

FOR_A_PERSON = frozenset({ReplyMeaning.IN_QUESTION, ReplyMeaning.HELP, ReplyMeaning.OTHER})
OF_REPLIES = (SuppressionReason.STOP_REPLY.value, SuppressionReason.REVIEW.value)
LOOKED_THROUGH = 50
"""So many of a number's newest consents and revocations START looks through."""


async def take_receipt(call: Call, receipt: SmsReceipt, message_id: int | None) -> bool:
    """Write down what became of a text. False where no text of ours is meant, or nothing is new."""
    row = await message_store.find_message(call.work, receipt.provider_ref, message_id)
    if row is None and receipt.phone:
        key = number_key(call.client_id, receipt.phone)
        row = await message_store.find_message_to(call.work, key, receipt.other_refs)
    if row is None:
        return False
    known = MessageState(row.state)
    reached = next_message_state(known, MessageState(receipt.state.value))
    if reached is known:
        return False
    values: dict[str, Any] = {"state": reached.value, "provider_ref": receipt.provider_ref[:100]}
    values |= {"reason": receipt.code[:40]} if receipt.code else {}
    values |= {"settled_at": call.now} if reached in SETTLED else {}
    values |= {"sent_at": row.sent_at or call.now}
    await SmsMessageRow.update(call.work, row.id, values)
    return True


async def take_reply(call: Call, answered: SmsAnswered) -> bool:
    """Do what an answer means: STOP and START count at once, the rest goes to a person. False where it came before."""
    await lock_rights(call)
    text, key = replace_unstorable(answered.text), number_key(call.client_id, answered.phone)
    meaning = meaning_of(text)
    contact = (await contact_store.get_contacts_by_key(call.work, [key])).get(key)
    latest = await message_store.get_latest_message(call.work, key)
    written = await store.insert_reply(
        call.work,
        {
            "phone": answered.phone,
            "number_key": key,
            "contact_id": contact and contact.id,
            "campaign_id": latest and latest.campaign_id,
            "text": text,
            "meaning": meaning.value,
            "provider_ref": (answered.provider_ref or _own_reference(call, answered, meaning))[:100],
            "received_at": call.now,
            "needs_person": meaning in FOR_A_PERSON,
        },
    )
    if not written:
        return False
    if meaning is ReplyMeaning.STOP:
        await opt_out(call, answered.phone, text)
    elif meaning is ReplyMeaning.START:
        await opt_in_again(call, answered.phone, text)
    elif meaning is ReplyMeaning.IN_QUESTION:
        await suppress_number(call, answered.phone, SuppressionList.ALL, SuppressionReason.REVIEW)
    return True


def _own_reference(call: Call, answered: SmsAnswered, meaning: ReplyMeaning) -> str:
    """What tells answers apart that the provider does not number: the same words of an hour are one that came again.

    # Why not those that mean STOP: of STOP, START, STOP the last must count, and to take one twice does no harm.
    """
    if meaning in (ReplyMeaning.STOP, ReplyMeaning.IN_QUESTION):
        return f"stop-{token_hex(16)}"
    said = f"{answered.phone}:{answered.text}:{int(call.now.timestamp()) // 3600}"
    return f"said-{blake2b(said.encode(), digest_size=16).hexdigest()}"


async def opt_out(call: Call, phone: str, wording: str) -> None:
    """Somebody wants no more texts: every consent is revoked, the number is suppressed, the last text shows it."""
    await revoke_consents(
        call,
        phone,
        [*MessagePurpose],
        method=ConsentMethod.TEXT.value,
        wording=wording[:WORDING_MAX],
        occurred_at=call.now,
    )
    await suppress_number(call, phone, SuppressionList.ALL, SuppressionReason.STOP_REPLY)
    latest = await message_store.get_latest_message(call.work, number_key(call.client_id, phone))
    if latest is not None and latest.opted_out_at is None:
        await SmsMessageRow.update(call.work, latest.id, {"opted_out_at": call.now})


async def opt_in_again(call: Call, phone: str, wording: str) -> None:
    """Somebody wants texts again: what they had agreed to before they revoked holds anew, and nothing beyond it."""
    key = number_key(call.client_id, phone)
    await suppression_store.lift_suppressions(call.work, key, OF_REPLIES, call.now, None, "START")
    rows, _ = await consent_store.list_consent_rows(call.work, key, limit=LOOKED_THROUGH, offset=0)
    again: list[dict[str, Any]] = []
    for purpose in MessagePurpose:
        own = [row for row in rows if row.purpose == purpose]
        given = next((row for row in own if row.granted), None)
        if given is None or own[0].granted or (given.expires_at and given.expires_at <= call.now):
            continue
        again.append(
            {
                "granted": True,
                "purpose": purpose.value,
                "basis": given.basis,
                "consent_key": given.consent_key,
                "method": ConsentMethod.TEXT.value,
                "wording": wording[:WORDING_MAX],
                "source": given.source,
                "proof": {"again": f"consent {given.id}"},
                "occurred_at": call.now,
                "expires_at": given.expires_at,
            }
        )
    await write_consents(call, phone, again)
