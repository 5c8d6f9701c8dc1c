"""Contacts are written with what they agreed to; rights to send are taken away."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.messaging.campaigns.actions.consents import consent_values
from haulier.contexts.messaging.campaigns.contract.contacts import ConsentGiven, CreateSmsContact
from haulier.contexts.messaging.campaigns.contract.suppressions import SuppressionList, SuppressionReason
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.numbers import country_of, number_key
from haulier.contexts.messaging.campaigns.store import contacts as contact_store
from haulier.contexts.messaging.campaigns.store import settings as settings_store
from haulier.contexts.messaging.campaigns.store import suppressions as suppression_store
from haulier.contexts.messaging.campaigns.store.tables import SmsConsentRow
from haulier.kernel.call import Call

CONTACT_COLUMNS = ("name", "language", "time_zone", "variables", "source")


async def add_contact(call: Call, request: CreateSmsContact) -> int:
    """Write a contact with what they agreed to. Raises `UniqueConflict` where the number is a contact already."""
    key, country = number_key(call.client_id, request.phone), country_of(request.phone)
    given = [consent_values(consent, country, call.now) for consent in request.consents]
    values = {name: getattr(request, name) for name in CONTACT_COLUMNS}
    contact_id = await contact_store.insert_contact(
        call.work,
        {
            **values,
            "phone": request.phone,
            "number_key": key,
            "country": country,
            "created_at": call.now,
            "updated_at": call.now,
        },
        request.tags,
    )
    await write_consents(call, request.phone, given)
    return contact_id


async def add_consents(call: Call, phone: str, consents: Sequence[ConsentGiven]) -> None:
    """Write what the holder of a number agreed to. It lifts no suppression. Raises as `consent_values`."""
    country = country_of(phone)
    await write_consents(call, phone, [consent_values(consent, country, call.now) for consent in consents])


async def write_consents(call: Call, phone: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows to what is known of a number's consents."""
    common = {
        "phone": phone,
        "number_key": number_key(call.client_id, phone),
        "recorded_at": call.now,
        "recorded_by": call.actor,
    }
    await SmsConsentRow.insert_many(call.work, [{**row, **common} for row in rows])


async def revoke_consents(
    call: Call,
    phone: str,
    purposes: Collection[MessagePurpose],
    *,
    method: str,
    wording: str | None,
    occurred_at: datetime,
) -> None:
    """Write that the holder of a number agreed no longer; no later claim of a text passes it."""
    await lock_rights(call)
    revoked: dict[str, Any] = {
        "granted": False,
        "basis": None,
        "consent_key": None,
        "method": method,
        "wording": wording,
        "source": None,
        "proof": {},
        "occurred_at": occurred_at,
        "expires_at": None,
    }
    await write_consents(call, phone, [{**revoked, "purpose": purpose.value} for purpose in purposes])


async def suppress_number(
    call: Call, phone: str, list: SuppressionList, reason: SuppressionReason, note: str | None = None
) -> None:
    """Put a number on a list; no later claim of a text passes it."""
    await lock_rights(call)
    await suppression_store.insert_suppression(
        call.work,
        {
            "phone": phone,
            "number_key": number_key(call.client_id, phone),
            "list": list.value,
            "reason": reason.value,
            "note": note,
            "added_at": call.now,
            "added_by": call.actor,
            "lifted_at": None,
        },
    )


async def lock_rights(call: Call) -> None:
    """Wait for a claim of texts that is under way; the next one sees what this transaction takes away."""
    await settings_store.get_settings_row(call.work, lock=True)
