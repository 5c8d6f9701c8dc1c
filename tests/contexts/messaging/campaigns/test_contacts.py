"""Contacts: consents, country rules, imports, and opt-in replies."""

from datetime import UTC

from tests.contexts.messaging.campaigns.makers import CONSENT, make_contact, make_marketing_business, phone_of
from tests.support.app import App

OFF = {"result": False, "feature_enabled": False}


async def test_the_module_is_disabled_by_default_and_for_businesses_only(app: App) -> None:
    refused = await app.rest("admin", "GET", "/v1/sms-marketing/contacts")
    assert (refused.status_code, OFF.items() <= refused.json().items()) == (409, True)
    await make_marketing_business(app)
    assert (await app.rest("admin", "GET", "/v1/sms-marketing/contacts")).status_code == 200
    for who in ("customer", "driver", "contractor"):
        assert (await app.rest(who, "GET", "/v1/sms-marketing/contacts")).status_code == 403


async def test_a_consent_is_stored_with_its_wording_and_never_changed(app: App) -> None:
    await make_marketing_business(app)
    contact = await make_contact(app, 1)
    await app.answer("admin", "revoke_sms_consent", {"sms_contact_id": contact.id, "method": "phone_call"})
    shown = await app.answer("admin", "get_sms_contact", {"sms_contact_id": contact.id})
    assert [(each.granted, each.purpose, each.method) for each in shown.consents] == [
        (False, "notification", "phone_call"),
        (False, "marketing", "phone_call"),
        (True, "marketing", "web_form"),
    ]
    assert shown.consents[2].wording == CONSENT["wording"]
    assert [each.allowed for each in shown.contact.permissions] == [False, False]


async def test_a_consent_older_than_a_revocation_does_not_opt_in_again(app: App) -> None:
    await make_marketing_business(app)
    contact = {"sms_contact_id": (await make_contact(app, 1)).id}
    await app.answer("admin", "revoke_sms_consent", {**contact, "method": "email"})
    app.clock.forward(hours=1)
    late = await app.answer(
        "admin", "record_sms_consent", {**contact, **CONSENT, "occurred_at": "2026-06-01T12:00:00Z"}
    )
    assert late.contact.permissions[0].allowed is False
    anew = await app.answer("admin", "record_sms_consent", {**contact, **CONSENT})
    assert anew.contact.permissions[0].allowed is True
    future = await app.call(
        "admin", "record_sms_consent", {**contact, **CONSENT, "occurred_at": "2026-06-30T12:00:00Z"}
    )
    assert future.status == 422


async def test_an_implied_consent_in_canada_expires(app: App) -> None:
    await make_marketing_business(app)
    implied = {**CONSENT, "basis": "implied_inquiry", "method": "phone_call"}
    asked = {"phone": phone_of(1), "consents": [implied]}
    contact = {"sms_contact_id": (await app.answer("admin", "create_sms_contact", asked)).contact.id}
    assert (await app.answer("admin", "get_sms_contact", contact)).contact.permissions[0].allowed is True
    shown = (await app.answer("admin", "get_sms_contact", contact)).consents[0]
    assert (shown.expires_at.astimezone(UTC) - shown.occurred_at.astimezone(UTC)).days == 183


async def test_the_table_of_regulations_can_be_read(app: App) -> None:
    await make_marketing_business(app)
    laws = {law.country: law for law in (await app.answer("admin", "list_sms_regulations")).regulations}
    assert laws.keys() >= {"US", "CA", "DE", "default"}
    assert (laws["US"].bases, laws["US"].registration) == (["express_written"], True)


async def test_contacts_are_imported_by_row(app: App) -> None:
    await make_marketing_business(app)
    await make_contact(app, 1, consent=False)
    rows = (
        "phone,name,tags,city,consent_basis,consent_method,consent_wording\n"
        f'{phone_of(1)},Ann,"vip, north",Toronto,,,\n'
        f"{phone_of(2)},Ben,,,express,paper,Yes\n"
        "12,Nobody,,,,,\n"
        "+12125550123,Cleo,,,express,paper,Yes\n"
    )
    begun = (await app.answer("admin", "import_sms_contacts", {"content": rows, "consent": CONSENT})).sms_import
    await app.work_off()
    done = await app.answer("admin", "get_sms_contact_import", {"sms_import_id": begun.id})
    assert [each.state for each in done.outcomes] == ["updated", "created", "refused", "refused"]
    assert done.outcomes[3].code == "SMS_CONSENT_NOT_ENOUGH"
    (ann,) = (await app.answer("admin", "list_sms_contacts", {"tag": "north"})).contacts
    assert (ann.name, ann.variables, ann.permissions[0].allowed) == ("Ann", {"city": "Toronto"}, True)


async def test_a_preview_counts_sms_segments_and_their_cost(app: App) -> None:
    await make_marketing_business(app)
    short = await app.answer("admin", "preview_sms_text", {"text": "Hi {name|there}!", "name": "Ann"})
    assert short.text == "Demo Parcels: Hi Ann! Reply STOP to opt out"
    assert (short.encoding, short.segments, short.total_cost_micros) == ("gsm_7", 1, 7900)
    long = await app.answer("admin", "preview_sms_text", {"text": "你" * 60, "language": "zh-Hans"})
    assert (long.encoding, long.segments, long.total_cost_micros) == ("ucs_2", 2, 15_800)


async def test_a_segment_reports_its_recipients(app: App) -> None:
    await make_marketing_business(app)
    await make_contact(app, 1, tags=["vip"])
    await make_contact(app, 2, tags=["vip"], consent=False)
    await make_contact(app, 3)
    segment = await app.answer("admin", "create_sms_segment", {"name": "VIP", "tags_all": ["vip"]})
    assert (segment.contacts, segment.reachable) == (2, 1)
