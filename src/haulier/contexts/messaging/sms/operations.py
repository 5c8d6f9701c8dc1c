"""The account through which a client sends text messages: see it, set it, try it, take it away."""

from typing import Any

from msgspec import Struct

from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.contexts.messaging.ports import SecretVault, SmsRefused, SmsSender
from haulier.contexts.messaging.sms import store
from haulier.contexts.messaging.sms.actions import deliver_sms
from haulier.contexts.messaging.sms.contract import SendTestSms, SetSmsAccount, SmsSettings
from haulier.contexts.messaging.sms.rules import (
    SECRETS_NOT_KEPT,
    SMS_NOT_SET_UP,
    SmsRoute,
    choose_sms_route,
    sms_secret_label,
)
from haulier.kernel.background import PermanentJobFailure
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/client/profile/sms"


@reads(
    "get_sms_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", PATH), GraphQL("smsSettings")),
)
async def get_sms_settings(call: Call, request: EmptyRequest) -> SmsSettings:
    """Through whom the business sends text messages, and how its own account fares."""
    return _sms_settings(call, await store.get_sms_account(call.work))


@writes(
    "set_sms_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", PATH), GraphQL("setSmsAccount")),
    errors=(SECRETS_NOT_KEPT,),
)
async def set_sms_account(call: Call, request: SetSmsAccount) -> SmsSettings:
    """Send text messages through an account of one's own with a provider. It counts from the next message."""
    vault = call.adapter(SecretVault)
    if not vault.available:
        raise SECRETS_NOT_KEPT()
    await store.upsert_sms_account(
        call.work,
        provider=request.provider,
        account=request.account,
        sender=request.sender,
        sealed_secret=vault.seal(request.secret.get_secret_value(), sms_secret_label(call.client_id)),
        set_by=call.actor,
        set_at=call.now,
    )
    call.add_audit_subjects("client", call.client_id)
    return _sms_settings(call, await store.get_sms_account(call.work))


@writes(
    "remove_sms_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", PATH), GraphQL("removeSmsAccount")),
    errors=(NOT_FOUND,),
)
async def remove_sms_account(call: Call, request: EmptyRequest) -> SmsSettings:
    """Send no more through one's own account: its secret is deleted, and the platform's carrier serves where there is one."""
    if not await store.delete_sms_account(call.work):
        raise NOT_FOUND()
    call.add_audit_subjects("client", call.client_id)
    return _sms_settings(call, None)


class SendTestMessage(Struct, frozen=True, kw_only=True):
    """A message that only shows that messages arrive."""

    phone: str
    business: str
    language: str


@writes(
    "send_test_sms",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/test"), GraphQL("sendTestSms")),
    limits=(RateLimit(5, 3600, ("user",)),),
    errors=(SMS_NOT_SET_UP,),
)
async def send_test_sms(call: Call, request: SendTestSms) -> Done:
    """Send a message to a phone, to see whether messages arrive. How an own account fared, its settings tell afterwards."""
    if _sms_route(call, await store.get_sms_account(call.work)) is SmsRoute.NOBODY:
        raise SMS_NOT_SET_UP()
    business = (await client_store.get_client_row(call.work, call.client_id)).name
    await call.enqueue("texting.test", SendTestMessage(phone=request.phone, business=business, language=call.language))
    return Done(message=call.translate("sms_test_on_its_way"))


@job("texting.test", SendTestMessage, max_attempts=1)
async def send_test_message(run: JobRun, args: SendTestMessage) -> None:
    """Send the message, once: somebody is looking at the phone."""
    text = run.app.catalogues.translate(args.language, "sms_test", business=args.business)
    try:
        await deliver_sms(run.app, run.client_id or 0, args.phone, text)
    except SmsRefused as refused:
        raise PermanentJobFailure(str(refused)) from None


def _sms_route(call: Call, own: Any) -> SmsRoute:
    return choose_sms_route(own=own is not None, platform=call.adapter(SmsSender).configured)


def _sms_settings(call: Call, own: Any) -> SmsSettings:
    names = ("provider", "account", "sender", "set_at", "worked_at", "failed_at", "fault")
    facts: dict[str, Any] = {name: getattr(own, name, None) for name in names}
    return SmsSettings(through=_sms_route(call, own).value, **facts)
