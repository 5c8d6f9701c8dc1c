"""Operations for the SMS account of a business."""

from typing import Any

from haulier.contexts.identity.public import require_client
from haulier.contexts.messaging.ports import SecretVault, SmsLines, SmsSender
from haulier.contexts.messaging.sms import store
from haulier.contexts.messaging.sms.contract import SendTestSms, SetSmsAccount, SmsSettings
from haulier.contexts.messaging.sms.jobs import TEST_JOB, SendTestMessage
from haulier.contexts.messaging.sms.rules import (
    SECRETS_NOT_KEPT,
    SMS_NOT_SET_UP,
    SMS_PROVIDER_NOT_OFFERED,
    SmsRoute,
    choose_sms_route,
    sms_secret_label,
)
from haulier.contexts.messaging.sms.store import SmsAccountRow, sms_accounts
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import columns, record

PATH = "/v1/client/profile/sms"
_NO_ACCOUNT: dict[str, Any] = dict.fromkeys(set(SmsSettings.__struct_fields__) - {"result", "through"})
"""Fields of an own account if there is none."""


@reads(
    "get_sms_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PATH), GraphQL("smsSettings")),
)
async def get_sms_settings(call: Call, request: EmptyRequest) -> SmsSettings:
    """Get the SMS settings.

    Shows the account in use and the state of the business's own account.
    """
    return _sms_settings(call, await store.get_sms_account(call.work))


@writes(
    "set_sms_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", PATH), GraphQL("setSmsAccount")),
    errors=(SECRETS_NOT_KEPT, SMS_PROVIDER_NOT_OFFERED),
)
async def set_sms_account(call: Call, request: SetSmsAccount) -> SmsSettings:
    """Set the SMS account of the business.

    Messages are sent through the business's own account with a provider, from the next message on.
    """
    lines, vault = call.adapter(SmsLines), call.adapter(SecretVault)
    if request.provider in lines.providers and not lines.offers(request.account):
        raise SMS_PROVIDER_NOT_OFFERED()
    if not vault.available:
        raise SECRETS_NOT_KEPT()
    sealed = vault.seal(request.secret.get_secret_value(), sms_secret_label(call.client_id))
    values = columns(sms_accounts, request, sealed_secret=sealed, set_by=call.actor, set_at=call.now)
    await store.upsert_sms_account(call.work, **values)
    call.add_audit_subjects("client", call.client_id)
    return _sms_settings(call, await store.get_sms_account(call.work))


@writes(
    "remove_sms_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", PATH), GraphQL("removeSmsAccount")),
    errors=(NOT_FOUND,),
)
async def remove_sms_account(call: Call, request: EmptyRequest) -> SmsSettings:
    """Remove the SMS account of the business.

    Its secret is deleted. Messages are then sent by the platform's provider, if there is one.
    """
    if not await store.delete_sms_account(call.work):
        raise NOT_FOUND()
    call.add_audit_subjects("client", call.client_id)
    return _sms_settings(call, None)


@writes(
    "send_test_sms",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", f"{PATH}/test"), GraphQL("sendTestSms")),
    limits=(RateLimit(5, 3600, ("user",)),),
    errors=(SMS_NOT_SET_UP,),
)
async def send_test_sms(call: Call, request: SendTestSms) -> Done:
    """Send a test SMS.

    For an own account, the SMS settings then show the outcome.
    """
    if _sms_route(call, await store.get_sms_account(call.work)) is SmsRoute.NOBODY:
        raise SMS_NOT_SET_UP()
    business = (await require_client(call.work, call.client_id)).name
    await call.enqueue(TEST_JOB, SendTestMessage(phone=request.phone, business=business, language=call.language))
    return Done(message=call.translate("sms_test_on_its_way"))


def _sms_route(call: Call, account: SmsAccountRow | None) -> SmsRoute:
    return choose_sms_route(own=account is not None, platform=call.adapter(SmsSender).configured)


def _sms_settings(call: Call, account: SmsAccountRow | None) -> SmsSettings:
    through = _sms_route(call, account).value
    return record(SmsSettings, account, through=through) if account else SmsSettings(through=through, **_NO_ACCOUNT)
