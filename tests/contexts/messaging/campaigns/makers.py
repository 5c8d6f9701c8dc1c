"""A business with SMS marketing, contacts, campaigns and a fake provider."""

from collections.abc import Sequence
from typing import Any

import msgspec
from tests.support.app import App

from haulier.contexts.messaging.ports import (
    SmsAnswered,
    SmsGateway,
    SmsNotice,
    SmsProviderDirectory,
    SmsReceipt,
    SmsSender,
    SmsSubmission,
)

SETTINGS: dict[str, Any] = {
    "business_name": "Demo Parcels",
    "help_contact": "help@demo.example",
    "throttle_per_minute": 6000,
    "segment_prices": {"CA": 7900},
    "default_segment_price": 60_000,
}
CONSENT: dict[str, Any] = {
    "basis": "express_written",
    "method": "web_form",
    "wording": "Yes, text me offers. STOP ends it.",
    "source": "Checkout",
}
TORONTO = "America/Toronto"


def phone_of(number: int) -> str:
    """A number of Toronto."""
    return f"+1416555{number:04}"


class Gateway:
    """A provider in memory: what it was handed, and how it answers next."""

    def __init__(self) -> None:
        self.taken: list[SmsSubmission] = []
        self.faults: list[Exception] = []

    async def submit(self, submission: SmsSubmission) -> str:
        if self.faults:
            raise self.faults.pop(0)
        self.taken.append(submission)
        return f"ref-{submission.reference}"

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        told: dict[str, Any] = msgspec.json.decode(notice.body)
        return [msgspec.convert(told, SmsReceipt if "state" in told else SmsAnswered)]

    def numbers(self) -> list[str]:
        return [each.to for each in self.taken]


class Providers:
    """A directory in which every account leads to one gateway, and there is a trial."""

    def __init__(self, gateway: SmsGateway) -> None:
        self._gateway = gateway

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        raise KeyError(provider)

    def gateway(self, provider: str, account: str, secret: str, sender: str) -> SmsGateway:
        return self._gateway

    def trial(self) -> SmsGateway | None:
        return self._gateway


async def make_marketing_business(app: App, **settings: Any) -> Gateway:
    """Set up the demo business with SMS marketing, and return its provider."""
    gateway = Gateway()
    adapters: Any = app.application.adapters
    adapters[SmsProviderDirectory] = Providers(gateway)
    for who in ("admin", "rival"):
        await app.answer(who, "set_feature", {"feature": "sms_marketing", "enabled": True})
    await app.answer("admin", "set_sms_marketing_settings", {**SETTINGS, **settings})
    return gateway


async def make_contact(app: App, number: int, *, consent: bool = True, **values: Any) -> Any:
    """A contact of Toronto, who agreed unless said otherwise."""
    asked = {"phone": phone_of(number), "name": f"Ann {number}", "time_zone": TORONTO, **values}
    asked |= {"consents": [CONSENT]} if consent else {}
    return (await app.answer("admin", "create_sms_contact", asked)).contact


async def make_campaign(app: App, *texts: str, who: str = "admin", **values: Any) -> int:
    """Create a draft campaign to all contacts, and return the id.

    With one text, or several of equal shares.
    """
    texts = texts or ("Hi {name|there}, 10% off!",)
    given = values.pop("rules", {})
    count = len((await app.answer(who, "list_sms_segments")).segments)
    segment = (await app.answer(who, "create_sms_segment", {"name": f"All {count}", **given})).segment.id
    variants: list[dict[str, int]] = []
    for number, text in enumerate(texts):
        asked = {"name": f"T{count}-{number}", "texts": {"en": text}, "purpose": values.get("purpose", "marketing")}
        template = (await app.answer(who, "create_sms_template", asked)).template.id
        variants.append({"sms_template_id": template, "share_percent": 100 // len(texts)})
    asked = {"name": "Sale", "sms_segment_id": segment, "variants": variants, **values}
    return (await app.answer(who, "create_sms_campaign", asked)).campaign.id


async def send(app: App, campaign_id: int, **values: Any) -> None:
    """Schedule a campaign and run what is due."""
    await app.answer("admin", "schedule_sms_campaign", {"sms_campaign_id": campaign_id, **values})
    await app.work_off()


async def endpoint(app: App, who: str = "admin") -> str:
    """The path to which the provider of a business sends its notices, below /api."""
    settings = (await app.answer(who, "get_sms_marketing_settings")).settings
    return settings.events_path.removeprefix("/api")


async def told(app: App, **news: Any) -> Any:
    """Deliver news of the provider: a receipt, or a reply."""
    return await app.rest(None, "POST", await endpoint(app), news)


async def answered(app: App, number: int, text: str, ref: str | None = None) -> Any:
    """Deliver a reply."""
    given = ref or f"in-{number}-{text}-{app.clock.now.timestamp()}"
    return await told(app, provider_ref=given[:100], phone=phone_of(number), text=text)


async def outcomes_of_messages(app: App, campaign_id: int) -> dict[str, str]:
    """Return the state of each message of a campaign by number, with its reason."""
    asked = {"sms_campaign_id": campaign_id, "per_page": 200}
    messages = (await app.answer("admin", "list_sms_messages", asked)).messages
    return {each.phone: f"{each.state}:{each.reason}" if each.reason else each.state for each in messages}


async def the_status(app: App, campaign_id: int) -> tuple[str, str | None]:
    """The status of a campaign, and why it pauses."""
    campaign = (await app.answer("admin", "get_sms_campaign", {"sms_campaign_id": campaign_id})).campaign
    return campaign.status, campaign.pause_reason
