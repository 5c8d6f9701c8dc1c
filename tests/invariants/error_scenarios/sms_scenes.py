"""Errors of SMS Marketing: consent, names in use, invalid steps, bad signatures."""

from typing import Any

from tests.contexts.messaging.campaigns.makers import (
    CONSENT,
    make_campaign,
    make_contact,
    make_marketing_business,
    phone_of,
    send,
)
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.messaging.ports import SmsProviderDirectory, SmsSubmission, SmsUnreadable, SmsUnsigned


class Refusing:
    """A provider with unsigned or unreadable callbacks."""

    async def submit(self, submission: SmsSubmission) -> str:
        return ""

    def read_notice(self, notice: Any) -> Any:
        raise SmsUnsigned if b"unsigned" in notice.body else SmsUnreadable


async def scene(app: App) -> dict[str, Any]:
    """Create a contact, an ended campaign, an ended import, and a read reply."""
    await make_marketing_business(app)
    contact = (await make_contact(app, 1)).id
    states = {"phone": "+12125550123", "consents": [{**CONSENT, "basis": "express_written"}]}
    american = (await app.answer("admin", "create_sms_contact", states)).contact.id
    first, second = [await _template(app, name) for name in ("First", "Second")]
    here, there = [
        (await app.answer("admin", "create_sms_segment", {"name": name, "countries": ["CA"]})).segment.id
        for name in ("Here", "There")
    ]
    done = await make_campaign(app, rules={"countries": ["CA"]})
    await send(app, done)
    states_too = await make_campaign(app)
    imported = await app.answer("admin", "import_sms_contacts", {"content": f"phone\n{phone_of(5)}\n"})
    await app.work_off()
    key = (await app.answer("admin", "get_sms_marketing_settings")).settings.events_path.rpartition("/")[2]
    stopped = {"provider_ref": "s-1", "phone": phone_of(7), "text": "STOP"}
    await app.rest(None, "POST", f"/v1/sms-events/{key}", stopped)
    held = (await app.answer("admin", "list_sms_suppressions")).suppressions[0].id
    reply = (await app.answer("admin", "list_sms_replies")).replies[0].id
    adapters: Any = app.application.adapters
    directory = adapters[SmsProviderDirectory]
    directory.trial = lambda: Refusing()
    return {
        "contact": contact,
        "american": american,
        "first": first,
        "second": second,
        "here": here,
        "there": there,
        "done": done,
        "states": states_too,
        "unready": await make_campaign(app, who="rival"),
        "import": imported.sms_import.id,
        "key": key,
        "held": held,
        "reply": reply,
    }


async def _template(app: App, name: str) -> int:
    asked = {"name": name, "texts": {"en": "Hi"}}
    return (await app.answer("admin", "create_sms_template", asked)).template.id


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    weak = {**CONSENT, "basis": "express"}
    done = {"sms_campaign_id": ids["done"]}
    draft = {"name": "x", "sms_segment_id": ids["here"], "variants": [{"sms_template_id": ids["first"]}]}
    texts = {"name": "First", "texts": {"en": "Hi"}}
    met: dict[tuple[str, str], Any] = {
        ("create_sms_contact", "SMS_CONTACT_EXISTS"): ("admin", {"phone": phone_of(1)}),
        ("create_sms_contact", "SMS_CONSENT_NOT_ENOUGH"): ("admin", {"phone": "+12125550124", "consents": [weak]}),
        ("record_sms_consent", "SMS_CONSENT_NOT_ENOUGH"): ("admin", {"sms_contact_id": ids["american"], **weak}),
        ("lift_sms_suppression", "SMS_SUPPRESSED_BY_RECIPIENT"): (
            "admin",
            {"sms_suppression_id": ids["held"], "reason": "x"},
        ),
        ("cancel_sms_contact_import", "SMS_IMPORT_IS_OVER"): ("admin", {"sms_import_id": ids["import"]}),
        ("create_sms_template", "SMS_NAME_TAKEN"): ("admin", texts),
        ("update_sms_template", "SMS_NAME_TAKEN"): ("admin", {**texts, "sms_template_id": ids["second"]}),
        ("create_sms_segment", "SMS_NAME_TAKEN"): ("admin", {"name": "Here"}),
        ("update_sms_segment", "SMS_NAME_TAKEN"): ("admin", {"name": "Here", "sms_segment_id": ids["there"]}),
        ("update_sms_campaign", "SMS_CAMPAIGN_STEP_REFUSED"): ("admin", {**done, **draft}),
        ("schedule_sms_campaign", "SMS_SENDER_NOT_REGISTERED"): ("admin", {"sms_campaign_id": ids["states"]}),
        ("resolve_sms_reply", "SMS_REPLY_IS_RESOLVED"): (
            "admin",
            {"sms_reply_id": ids["reply"], "outcome": "answered"},
        ),
        ("receive_sms_event", "SMS_SIGNATURE_WRONG"): (None, {"endpoint_key": ids["key"], "body": "unsigned"}),
        ("receive_sms_event", "SMS_EVENT_UNREADABLE"): (None, {"endpoint_key": ids["key"], "body": "nothing"}),
        ("preview_sms_text", "SMS_MARKETING_NOT_SET_UP"): ("rival", {"text": "Hi"}),
        ("schedule_sms_campaign", "SMS_MARKETING_NOT_SET_UP"): ("rival", {"sms_campaign_id": ids["unready"]}),
    }
    met["choose_sms_campaign_winner", "SMS_CAMPAIGN_STEP_REFUSED"] = ("admin", {**done, "variant": "A"})
    steps = ("schedule_sms_campaign", "pause_sms_campaign", "resume_sms_campaign", "cancel_sms_campaign")
    return met | {(name, "SMS_CAMPAIGN_STEP_REFUSED"): ("admin", done) for name in steps}
