"""Operations for SMS marketing settings and legal requirements."""

from secrets import token_urlsafe
from typing import Any

from haulier.contexts.messaging.campaigns.contract.settings import (
    SetSmsMarketingSettings,
    SmsHours,
    SmsLawList,
    SmsLawRecord,
    SmsMarketingSettings,
    SmsMarketingSettingsAnswer,
)
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.rules.laws import DEFAULT_LAW, LAWS, TextLaw
from haulier.contexts.messaging.campaigns.store import settings as store
from haulier.contexts.messaging.sms.queries import campaign_route
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.records import record

PATH = "/v1/sms-marketing/settings"
EVENTS_PATH = "/v1/sms-events"
_DAYS: Any = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@reads(
    "get_sms_marketing_settings",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", PATH), GraphQL("smsMarketingSettings")),
)
async def get_sms_marketing_settings(call: Call, request: EmptyRequest) -> SmsMarketingSettingsAnswer:
    """Get the SMS marketing settings.

    Includes the path to which the provider sends receipts and replies.
    """
    row = await store.get_settings_row(call.work)
    shown = row and record(
        SmsMarketingSettings,
        row,
        events_path=f"/api{EVENTS_PATH}/{row.endpoint_key}",
        updated_at=call.local_time(row.updated_at),
    )
    return SmsMarketingSettingsAnswer(settings=shown, through=await campaign_route(call.app, call.work))


@writes(
    "set_sms_marketing_settings",
    audience={Account.CLIENT_ADMIN},
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", PATH), GraphQL("setSmsMarketingSettings")),
)
async def set_sms_marketing_settings(call: Call, request: SetSmsMarketingSettings) -> SmsMarketingSettingsAnswer:
    """Set the SMS marketing settings.

    Sets the sender, quiet hours in addition to the legal ones, throttle, caps and prices. They apply from the next
    message on.
    """
    if (request.quiet_from is None) != (request.quiet_until is None):
        raise INVALID_REQUEST.for_fields(FieldError("quiet_until", "field.missing"))
    values = request.model_dump(exclude={"quiet_from", "quiet_until"})
    for name in ("quiet_from", "quiet_until"):
        moment = getattr(request, name)
        values[name] = moment and moment.isoformat()
    values |= {"currency": call.business.currency, "updated_at": call.now}
    await store.upsert_settings(call.work, values, token_urlsafe(24))
    call.add_audit_subjects("client", call.client_id)
    return await get_sms_marketing_settings(call, EmptyRequest())


@reads(
    "list_sms_laws",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", "/v1/sms-marketing/laws"), GraphQL("smsLaws")),
)
async def list_sms_laws(call: Call, request: EmptyRequest) -> SmsLawList:
    """List legal requirements for SMS by country.

    Includes consents, permitted hours in the recipient's time zone and registration. This is not legal advice.
    """
    table = {**dict(sorted(LAWS.items())), "default": DEFAULT_LAW}
    return SmsLawList(laws=[_law(country, law) for country, law in table.items()])


def _law(country: str, law: TextLaw) -> SmsLawRecord:
    hours = [
        SmsHours(days=[_DAYS[day] for day in sorted(each.days)], begin=f"{each.begin:%H:%M}", end=f"{each.end:%H:%M}")
        for each in law.hours
    ]
    return record(SmsLawRecord, law, country=country, bases=sorted(law.bases), hours=hours)
