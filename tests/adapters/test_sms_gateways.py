"""SMS providers over real HTTP: submissions, receipts, and their authentication."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from tests.adapters.sms_gateway_server import (
    TWILIO_ACCOUNT,
    TWILIO_TOKEN,
    VONAGE_KEY,
    VONAGE_SECRET,
    VONAGE_SIGNING,
    GatewayServer,
    run_gateway_server,
    sign_as_twilio,
    sign_as_vonage,
)

from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.contexts.messaging.ports import (
    ReceiptState,
    SmsAnswered,
    SmsBusy,
    SmsGateway,
    SmsNotice,
    SmsReceipt,
    SmsRefused,
    SmsSubmission,
    SmsUnreadable,
    SmsUnsigned,
)

FORM, HOOK = "application/x-www-form-urlencoded", "https://demo.example/api/v1/sms-events/k?message=7"
TEXT = SmsSubmission(to="+14165550123", text="Déjà là: 10% & more", reference="7", callback=HOOK)
SECRETS = {
    "twilio": (TWILIO_ACCOUNT, TWILIO_TOKEN),
    "vonage": (VONAGE_KEY, f"{VONAGE_SECRET}:{VONAGE_SIGNING}"),
}


@pytest.fixture
def desk() -> Iterator[GatewayServer]:
    with run_gateway_server() as desk:
        yield desk


def gateway(desk: GatewayServer, provider: str, secret: str | None = None) -> SmsGateway:
    directory = HttpSmsProviders(twilio=desk.url, vonage=desk.url)
    account, own = SECRETS[provider]
    return directory.gateway(provider, account, secret or own, "+15005550006")


@pytest.mark.parametrize("provider", SECRETS)
async def test_a_message_is_submitted_with_our_reference_and_returns_theirs(desk: GatewayServer, provider: str) -> None:
    reference = await gateway(desk, provider).submit(TEXT)
    (taken,) = desk.taken
    if provider == "twilio":
        assert taken == {"To": TEXT.to, "Body": TEXT.text, "StatusCallback": HOOK, "From": "+15005550006"}
        assert reference == f"SM{1:032}"
    else:
        assert (taken["to"], taken["from"], taken["text"]) == ("14165550123", "15005550006", TEXT.text)
        assert (taken["type"], taken["client-ref"], taken["callback"]) == ("unicode", "7", HOOK)
        assert reference == f"0A{1:014}"


@pytest.mark.parametrize("provider", SECRETS)
async def test_wrong_credentials_are_final(desk: GatewayServer, provider: str) -> None:
    with pytest.raises(SmsRefused):
        await gateway(desk, provider, "wrong:wrong").submit(TEXT)


@pytest.mark.parametrize("provider", SECRETS)
@pytest.mark.parametrize("status", [429, 503])
async def test_certainly_unaccepted_messages_can_be_retried(desk: GatewayServer, provider: str, status: int) -> None:
    desk.status = status
    with pytest.raises(SmsBusy):
        await gateway(desk, provider).submit(TEXT)


@pytest.mark.parametrize("provider", SECRETS)
async def test_a_provider_error_leaves_the_status_unknown(desk: GatewayServer, provider: str) -> None:
    desk.status = 500
    with pytest.raises(OSError) as fault:
        await gateway(desk, provider).submit(TEXT)
    assert not isinstance(fault.value, SmsBusy)


@pytest.mark.parametrize("provider", SECRETS)
async def test_an_unreachable_provider_accepted_nothing(provider: str) -> None:
    with run_gateway_server() as gone:
        pass
    with pytest.raises(SmsBusy):
        await gateway(gone, provider).submit(TEXT)


async def test_vonage_reports_throttling_and_refusals_within_status_200(desk: GatewayServer) -> None:
    desk.vonage_status = "1"
    with pytest.raises(SmsBusy):
        await gateway(desk, "vonage").submit(TEXT)
    desk.vonage_status = "15"
    with pytest.raises(SmsRefused) as refusal:
        await gateway(desk, "vonage").submit(TEXT)
    assert refusal.value.code == "15"


def notice(form: dict[str, str], signature: str = "", url: str = HOOK) -> SmsNotice:
    return SmsNotice(url=url, body=urlencode(form).encode(), content_type=FORM, signature=signature)


def test_twilio_reports_receipts_and_replies(desk: GatewayServer) -> None:
    read = gateway(desk, "twilio").read_notice
    status = {"MessageSid": "SM1", "MessageStatus": "undelivered", "ErrorCode": "30003", "To": TEXT.to}
    told = SmsReceipt(provider_ref="SM1", state=ReceiptState.UNDELIVERED, code="30003")
    assert read(notice(status, sign_as_twilio(HOOK, status))) == [told]
    queued = {"MessageSid": "SM1", "MessageStatus": "queued"}
    assert read(notice(queued, sign_as_twilio(HOOK, queued))) == []
    answer = {"MessageSid": "SM2", "From": TEXT.to, "Body": "arrêt", "NumMedia": "0"}
    said = SmsAnswered(provider_ref="SM2", phone=TEXT.to, text="arrêt")
    assert read(notice(answer, sign_as_twilio(HOOK, answer))) == [said]


def test_twilios_documented_signature_is_accepted() -> None:
    """The example of twilio.com/docs/usage/security, whose token is 12345."""
    from haulier.adapters.sms_gateways.twilio import twilio_signature

    form = {
        "CallSid": "CA1234567890ABCDE",
        "Caller": "+14158675309",
        "Digits": "1234",
        "From": "+14158675309",
        "To": "+18005551212",
    }
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    assert twilio_signature("12345", url, form) == "RSOYDt4T1cUTdK1PDd93/VVr8B8="


def test_vonage_reports_receipts_and_replies(desk: GatewayServer) -> None:
    read = gateway(desk, "vonage").read_notice
    receipt = {"msisdn": "14165550123", "messageId": "0A1", "status": "delivered", "err-code": "0", "client-ref": "7"}
    told = SmsReceipt(provider_ref="0A1", state=ReceiptState.DELIVERED)
    assert read(notice(sign_as_vonage(receipt))) == [told]
    answer = {
        "msisdn": "14165550123",
        "to": "15005550006",
        "messageId": "0B1",
        "text": "stop & go = no",
        "type": "text",
    }
    said = SmsAnswered(provider_ref="0B1", phone=TEXT.to, text="stop & go = no")
    assert read(notice(sign_as_vonage(answer))) == [said]


def test_reports_without_the_secret_are_refused(desk: GatewayServer) -> None:
    form = {"MessageSid": "SM1", "MessageStatus": "delivered"}
    right = sign_as_twilio(HOOK, form)
    read = gateway(desk, "twilio").read_notice
    for wrong in (notice(form), notice({**form, "MessageStatus": "failed"}, right), notice(form, right, HOOK + "1")):
        with pytest.raises(SmsUnsigned):
            read(wrong)
    signed = sign_as_vonage({"msisdn": "14165550123", "messageId": "0A1", "text": "STOP"})
    with pytest.raises(SmsUnsigned):
        gateway(desk, "vonage").read_notice(notice({**signed, "msisdn": "14165550124"}))
    with pytest.raises(SmsUnsigned):
        gateway(desk, "vonage", VONAGE_SECRET).read_notice(notice(signed))


def test_a_signed_report_without_content_is_unreadable(desk: GatewayServer) -> None:
    with pytest.raises(SmsUnreadable):
        gateway(desk, "twilio").read_notice(notice({"From": TEXT.to}, sign_as_twilio(HOOK, {"From": TEXT.to})))
    with pytest.raises(SmsUnreadable):
        gateway(desk, "vonage").read_notice(notice(sign_as_vonage({"text": "hi"})))
