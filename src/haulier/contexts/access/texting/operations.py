"""The account through which a client sends text messages: see it, set it, try it, take it away."""

from typing import Any

from msgspec import Struct

from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.ports import Sms, SmsRefused, Vault
from haulier.contexts.access.texting import store
from haulier.contexts.access.texting.contract import SendTestSms, SetSmsAccount, SmsSettings
from haulier.contexts.access.texting.rules import SECRETS_NOT_KEPT, SMS_NOT_SET_UP, Through, about, through
from haulier.contexts.access.texting.sending import send
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Risk, Scope
from haulier.kernel.errands import errand
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.jobs import GiveUp
from haulier.kernel.operation import GraphQL, Limit, Nothing, Rest, reads, writes
from haulier.kernel.run import Run

PATH = "/v1/client/profile/sms"


@reads(
    "get_sms_settings",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", PATH), GraphQL("smsSettings")),
)
async def get_sms_settings(call: Call, request: Nothing) -> SmsSettings:
    """Through whom the business sends text messages, and how its own account fares."""
    return _settings(call, await store.of(call.work))


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
    vault = call.adapter(Vault)
    if not vault.available:
        raise SECRETS_NOT_KEPT()
    await store.put(
        call.work,
        provider=request.provider,
        account=request.account,
        sender=request.sender,
        sealed_secret=vault.seal(request.secret.get_secret_value(), about(call.client_id)),
        set_by=call.actor,
        set_at=call.now,
    )
    call.concerns("client", call.client_id)
    return _settings(call, await store.of(call.work))


@writes(
    "remove_sms_account",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", PATH), GraphQL("removeSmsAccount")),
    errors=(NOT_FOUND,),
)
async def remove_sms_account(call: Call, request: Nothing) -> SmsSettings:
    """Send no more through one's own account: its secret is deleted, and the platform's carrier serves where there is one."""
    if not await store.forget(call.work):
        raise NOT_FOUND()
    call.concerns("client", call.client_id)
    return _settings(call, None)


class TrySms(Struct, frozen=True, kw_only=True):
    """A message that only shows that messages arrive."""

    phone: str
    business: str
    language: str


@writes(
    "send_test_sms",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/test"), GraphQL("sendTestSms")),
    limits=(Limit(5, 3600, ("user",)),),
    errors=(SMS_NOT_SET_UP,),
)
async def send_test_sms(call: Call, request: SendTestSms) -> Done:
    """Send a message to a phone, to see whether messages arrive. How an own account fared, its settings tell afterwards."""
    if _through(call, await store.of(call.work)) is Through.NOBODY:
        raise SMS_NOT_SET_UP()
    business = (await client_store.one(call.work, call.client_id)).name
    await call.post("texting.test", TrySms(phone=request.phone, business=business, language=call.language))
    return Done(message=call.say("sms_test_on_its_way"))


@errand("texting.test", TrySms, max_attempts=1)
async def try_sms(run: Run, args: TrySms) -> None:
    """Send the message, once: somebody is looking at the phone."""
    text = run.house.catalogues.say(args.language, "sms_test", business=args.business)
    try:
        await send(run.house, run.client_id or 0, args.phone, text)
    except SmsRefused as refused:
        raise GiveUp(str(refused)) from None


def _through(call: Call, own: Any) -> Through:
    return through(own=own is not None, platform=call.adapter(Sms).configured)


def _settings(call: Call, own: Any) -> SmsSettings:
    names = ("provider", "account", "sender", "set_at", "worked_at", "failed_at", "fault")
    facts: dict[str, Any] = {name: getattr(own, name, None) for name in names}
    return SmsSettings(through=_through(call, own).value, **facts)
