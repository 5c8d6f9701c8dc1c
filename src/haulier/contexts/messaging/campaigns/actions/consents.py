"""Which consents are taken, and until when they hold."""

from datetime import datetime
from typing import Any

from haulier.contexts.messaging.campaigns.contract.contacts import ConsentGiven
from haulier.contexts.messaging.campaigns.errors import SMS_CONSENT_NOT_ENOUGH
from haulier.contexts.messaging.campaigns.rules.laws import LONGEST, consent_key, law_of, sufficient_bases
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


def consent_values(given: ConsentGiven, country: str, now: datetime) -> dict[str, Any]:
    """Return the columns of a consent to texts to a number of a country.

    Raises `SMS_CONSENT_NOT_ENOUGH` where the country's law takes no such consent, `INVALID_REQUEST` for one of the
    future and one that is over.
    """
    if given.basis not in (taken := sufficient_bases(country, given.purpose)):
        names = ", ".join(sorted(taken))
        raise SMS_CONSENT_NOT_ENOUGH(
            country=country, basis=given.basis.value, taken=names, statute=law_of(country).statute
        )
    occurred = given.occurred_at or now
    require_past("occurred_at", occurred, now)
    ends = [given.expires_at] if given.expires_at else []
    ends += [occurred + LONGEST[given.basis]] if given.basis in LONGEST else []
    expires = min(ends, default=None)
    if expires is not None and expires <= now:
        raise INVALID_REQUEST.for_fields(FieldError("expires_at", "field.sms_consent_over"))
    return {
        "granted": True,
        "purpose": given.purpose.value,
        "basis": given.basis.value,
        "consent_key": consent_key(country, given.purpose, given.basis),
        "method": given.method.value,
        "wording": given.wording,
        "source": given.source,
        "proof": dict(given.proof),
        "occurred_at": occurred,
        "expires_at": expires,
    }


def require_past(field: str, moment: datetime, now: datetime) -> None:
    """Refuse a moment that has not come: a consent of tomorrow would outlive a revocation of today."""
    if moment > now:
        raise INVALID_REQUEST.for_fields(FieldError(field, "field.sms_not_yet"))
