"""A dry-run story of SMS Marketing, which needs an SMS provider."""

from tests.contexts.messaging.campaigns.makers import (
    make_campaign,
    make_contact,
    make_marketing_business,
    phone_of,
    send,
)
from tests.support.app import App

SMS_WRITES = {
    *("set_sms_marketing_settings", "create_sms_contact", "update_sms_contact", "delete_sms_contact"),
    *("record_sms_consent", "revoke_sms_consent", "import_sms_contacts", "cancel_sms_contact_import"),
    *("suppress_sms_number", "lift_sms_suppression", "create_sms_template", "update_sms_template"),
    *("delete_sms_template", "create_sms_segment", "update_sms_segment", "delete_sms_segment"),
    *("create_sms_campaign", "update_sms_campaign", "schedule_sms_campaign", "pause_sms_campaign"),
    *(
        "choose_sms_campaign_winner",
        "resume_sms_campaign",
        "cancel_sms_campaign",
        "receive_sms_event",
        "resolve_sms_reply",
        "follow_sms_link",
    ),
}
WHY = "tests/contexts/messaging/campaigns: needs the family switched on, and a provider of texts"


async def sms_marketing(app: App) -> None:
    """Run contacts, consents, campaigns, links and replies through their states."""
    gateway = await make_marketing_business(app)
    ref = {"sms_contact_id": (await make_contact(app, 1)).id}
    consent = {"basis": "express_written", "method": "paper", "wording": "Yes"}
    await app.answer("admin", "record_sms_consent", {**ref, **consent})
    await app.answer("admin", "update_sms_contact", {**ref, "tags": ["vip"]})
    await send(app, await make_campaign(app, "Sale: {link}", link_url="https://demo.example/sale"))
    code = gateway.taken[0].text.split("/s/")[1].split()[0]
    await app.answer(None, "follow_sms_link", {"code": code})
    key = (await app.answer("admin", "get_sms_marketing_settings")).settings.events_path.rpartition("/")[2]
    question = {"provider_ref": "in-1", "phone": phone_of(1), "text": "When?"}
    await app.answer(None, "receive_sms_event", question, texts={"endpoint_key": key})
    reply = (await app.answer("admin", "list_sms_replies")).replies[0].id
    await app.answer("admin", "resolve_sms_reply", {"sms_reply_id": reply, "outcome": "answered"})
    await _lists(app)
    await _winner(app)
    await _drafts(app)
    await app.answer("admin", "revoke_sms_consent", {**ref, "method": "phone_call"})
    await app.answer("admin", "delete_sms_contact", ref)


async def _lists(app: App) -> None:
    held = (await app.answer("admin", "suppress_sms_number", {"phone": phone_of(9)})).suppression.id
    await app.answer("admin", "lift_sms_suppression", {"sms_suppression_id": held, "reason": "A slip"})
    rows = {"content": f"phone,name\n{phone_of(8)},Ann\n"}
    begun = (await app.answer("admin", "import_sms_contacts", rows)).sms_import.id
    await app.answer("admin", "cancel_sms_contact_import", {"sms_import_id": begun})


async def _winner(app: App) -> None:
    test = {"sample_percent": 50, "measure": "stops"}
    tested = await make_campaign(app, "One", "Two", test=test)
    await send(app, tested)
    await app.answer("admin", "choose_sms_campaign_winner", {"sms_campaign_id": tested, "variant": "B"})


async def _drafts(app: App) -> None:
    template = {"name": "Spare", "texts": {"en": "Hi"}}
    spare = {"sms_template_id": (await app.answer("admin", "create_sms_template", template)).template.id}
    await app.answer("admin", "update_sms_template", {**template, **spare, "texts": {"en": "Hello"}})
    segment = {"sms_segment_id": (await app.answer("admin", "create_sms_segment", {"name": "Few"})).segment.id}
    await app.answer("admin", "update_sms_segment", {**segment, "name": "Fewer", "tags_any": ["vip"]})
    campaign = {"sms_campaign_id": await make_campaign(app)}
    draft = {**campaign, **segment, "name": "Next", "variants": [{**spare, "share_percent": 100}]}
    await app.answer("admin", "update_sms_campaign", draft)
    await app.answer("admin", "schedule_sms_campaign", {**campaign, "starts_at": "2026-06-20T15:00:00Z"})
    for operation in ("pause_sms_campaign", "resume_sms_campaign", "cancel_sms_campaign"):
        await app.answer("admin", operation, campaign)
    await app.answer("admin", "delete_sms_template", spare)
    await app.answer("admin", "delete_sms_segment", segment)
