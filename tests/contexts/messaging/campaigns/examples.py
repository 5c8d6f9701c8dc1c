"""One valid request for each operation of SMS Marketing."""

from typing import Any

CONSENT: dict[str, Any] = {
    "basis": "express_written",
    "method": "web_form",
    "wording": "Yes, text me offers. STOP ends it.",
}
CONTACT: dict[str, object] = {"sms_contact_id": "$sms_contact_id"}
CAMPAIGN: dict[str, object] = {"sms_campaign_id": "$sms_campaign_id"}
TEMPLATE: dict[str, Any] = {"name": "Summer sale", "texts": {"en": "Hi {name|there}, 10% off!"}}
DRAFT: dict[str, Any] = {
    "name": "Summer sale",
    "sms_segment_id": "$sms_segment_id",
    "variants": [{"sms_template_id": "$sms_template_id"}],
}
EXAMPLES: dict[str, dict[str, object]] = {
    "get_sms_marketing_settings": {},
    "set_sms_marketing_settings": {"business_name": "Demo Parcels", "help_contact": "help@demo.example"},
    "list_sms_regulations": {},
    "create_sms_contact": {"phone": "+14165550177", "consents": [CONSENT]},
    "list_sms_contacts": {"tag": "vip"},
    "get_sms_contact": CONTACT,
    "update_sms_contact": {**CONTACT, "tags": ["vip"]},
    "delete_sms_contact": CONTACT,
    "record_sms_consent": {**CONTACT, **CONSENT},
    "revoke_sms_consent": {**CONTACT, "method": "phone_call"},
    "import_sms_contacts": {"content": "phone,name\n+14165550178,Ann\n", "consent": CONSENT},
    "list_sms_contact_imports": {},
    "get_sms_contact_import": {"sms_import_id": "$sms_import_id"},
    "cancel_sms_contact_import": {"sms_import_id": "$open_sms_import_id"},
    "list_sms_suppressions": {"list": "all"},
    "suppress_sms_number": {"phone": "+14165550179"},
    "lift_sms_suppression": {"sms_suppression_id": "$sms_suppression_id", "reason": "It was a slip."},
    "list_sms_templates": {},
    "create_sms_template": {**TEMPLATE, "name": "Winter sale"},
    "update_sms_template": {**TEMPLATE, "sms_template_id": "$sms_template_id"},
    "delete_sms_template": {"sms_template_id": "$sms_template_id"},
    "preview_sms_text": {"text": "Hi {name|there}, 10% off!"},
    "list_sms_segments": {},
    "get_sms_segment": {"sms_segment_id": "$sms_segment_id"},
    "create_sms_segment": {"name": "Toronto"},
    "update_sms_segment": {"sms_segment_id": "$sms_segment_id", "name": "Ottawa", "tags_any": ["vip"]},
    "delete_sms_segment": {"sms_segment_id": "$sms_segment_id"},
    "list_sms_campaigns": {},
    "get_sms_campaign": CAMPAIGN,
    "list_sms_messages": CAMPAIGN,
    "create_sms_campaign": DRAFT,
    "update_sms_campaign": {**DRAFT, **CAMPAIGN},
    "schedule_sms_campaign": CAMPAIGN,
    "choose_sms_campaign_winner": {"sms_campaign_id": "$tested_sms_campaign_id", "variant": "B"},
    "pause_sms_campaign": {"sms_campaign_id": "$scheduled_sms_campaign_id"},
    "resume_sms_campaign": {"sms_campaign_id": "$paused_sms_campaign_id"},
    "cancel_sms_campaign": CAMPAIGN,
    "receive_sms_event": {"endpoint_key": "$sms_endpoint_key"},
    "list_sms_replies": {},
    "resolve_sms_reply": {"sms_reply_id": "$sms_reply_id", "outcome": "answered"},
    "follow_sms_link": {"code": "1-1-1-abcd"},
}
