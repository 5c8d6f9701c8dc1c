"""SMS Marketing of the demo client, with a campaign in each required status."""

from typing import Any

from tests.contexts.messaging.campaigns.examples import CONSENT
from tests.contexts.messaging.campaigns.makers import SETTINGS
from tests.support.app import App

from haulier.contexts.messaging.campaigns.actions.contacts import RunSmsImport, record_reply
from haulier.contexts.messaging.campaigns.actions.dispatch import RunSmsCampaign, run_campaign_step
from haulier.contexts.messaging.campaigns.jobs import run_sms_import
from haulier.contexts.messaging.campaigns.store import messages as messages_store
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow
from haulier.contexts.messaging.ports import SmsAnswered
from haulier.kernel.call import call_as_system
from haulier.kernel.job_run import JobRun

PHONE, OTHER = "+14165550171", "+14165550172"


async def sms_marketing(app: App, mark: str) -> dict[str, Any]:
    """Create SMS Marketing records of every kind, and return the ids by field name."""
    for who in ("admin", "rival"):
        await app.answer(who, "set_feature", {"feature": "sms_marketing", "enabled": True})
    await app.answer("admin", "set_sms_marketing_settings", {**SETTINGS, "business_name": mark, "help_contact": mark})
    agreed = {**CONSENT, "wording": mark, "source": mark}
    values = {"phone": PHONE, "name": mark, "source": mark, "consents": [agreed], "variables": {"city": mark}}
    contact = (await app.answer("admin", "create_sms_contact", values)).contact.id
    held = {"phone": OTHER, "note": mark}
    suppressed = (await app.answer("admin", "suppress_sms_number", held)).suppression.id
    template = {"name": mark, "texts": {"en": f"{mark} {{link}}"}}
    texts = (await app.answer("admin", "create_sms_template", template)).template.id
    segment = (await app.answer("admin", "create_sms_segment", {"name": mark})).segment.id
    rows = {"content": f"phone,name\n{PHONE},{mark}\n"}
    done = (await app.answer("admin", "import_sms_contacts", rows)).sms_import.id
    await run_sms_import.handler(JobRun(app.application, app.clients["demo"], 0, 1), RunSmsImport(done))
    waiting = (await app.answer("admin", "import_sms_contacts", rows)).sms_import.id
    draft = {
        "name": mark,
        "sms_segment_id": segment,
        "variants": [{"sms_template_id": texts}],
        "link_url": "https://demo.example/sale",
    }
    ids = [(await app.answer("admin", "create_sms_campaign", draft)).campaign.id for _ in range(3)]
    halves = {"variants": [{"sms_template_id": texts, "share_percent": 50}] * 2, "test": {"sample_percent": 50}}
    ids.append((await app.answer("admin", "create_sms_campaign", {**draft, **halves})).campaign.id)
    return {
        "sms_contact_id": contact,
        "sms_suppression_id": suppressed,
        "sms_template_id": texts,
        "sms_segment_id": segment,
        "sms_import_id": done,
        "open_sms_import_id": waiting,
        "sms_campaign_id": ids[2],
        **await _under_way(app, ids, texts),
    }


async def _under_way(app: App, ids: list[int], texts: int) -> dict[str, Any]:
    """Schedule a campaign, and pause one with a sent message and a reply."""
    client_id = app.clients["demo"]
    shown = (await app.answer("admin", "get_sms_marketing_settings")).settings.events_path
    async with app.database.write(client_id) as work:
        call = await call_as_system(app.application, client_id, work)
        row = await SmsCampaignRow.get(work, ids[0])
        assert row
        variants = [{**row.variants[0], "texts": {"en": "Only-For-Demo-Eyes {link}"}, "language": "en"}]
        common: dict[str, Any] = {"rules": {}, "variants": variants, "round": 1, "starts_at": call.now}
        await SmsCampaignRow.update(work, ids[0], {**common, "status": "scheduled"})
        await SmsCampaignRow.update(work, ids[1], {**common, "status": "sending"})
        sampled = {"status": "sending", "begun_at": call.now, "prepared_until": None}
        await SmsCampaignRow.update(
            work, ids[3], {**common, **sampled, "variants": [*variants, {**variants[0], "key": "B"}]}
        )
        await run_campaign_step(call, RunSmsCampaign(campaign_id=ids[1], round=1))
        await SmsCampaignRow.update(work, ids[1], {"status": "paused", "round": 2})
        await record_reply(call, SmsAnswered(provider_ref="in-1", phone=PHONE, text="Only-For-Demo-Eyes?"))
        (message,), _ = await messages_store.list_message_rows(work, ids[1], None, limit=1, offset=0)
    code = message.text.split("/s/")[1].split()[0]
    reply = (await app.answer("admin", "list_sms_replies")).replies[0].id
    return {
        "scheduled_sms_campaign_id": ids[0],
        "paused_sms_campaign_id": ids[1],
        "tested_sms_campaign_id": ids[3],
        "sms_reply_id": reply,
        "sms_link_code": code,
        "sms_endpoint_key": shown.rpartition("/")[2],
    }
