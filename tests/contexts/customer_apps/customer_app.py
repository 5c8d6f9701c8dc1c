"""A customers' app at the demo client, and text messages that go nowhere."""

from typing import Any

from tests.support.app import START, App

from haulier.contexts.customer_apps import public as customer_apps
from haulier.contexts.messaging.ports import SmsSender
from haulier.kernel.pipeline.result import OperationResult

CLIENT_APP = {"appCode": "customer-app", "clientCode": "demo"}
DEVICE = {"device_id": "phone-1", "device_platform": "ios"}
PATH = "/v1/apps/customer-app/clients/demo"
ISSUER = "https://identity.example"
AUDIENCE = "backend.example"
EVERY_METHOD = ["idp", "email", "registration"]


class Phones:
    """Every phone there is: keeps what was sent."""

    configured = True

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    async def send(self, to: str, text: str) -> None:
        self.sent.append((to, text))

    @property
    def code(self) -> str:
        """Return the newest code.

        Its messages begin with it, because other messages have codes too, and jobs due together send in any order.
        """
        first_words = (text.split()[0] for _, text in reversed(self.sent))
        return next(word for word in first_words if word.isdecimal() and len(word) == 6)


async def publish_app(app: App, *, type: str = "customer", code: str = "customer-app", issuer: str = ISSUER) -> Phones:
    """An app that the platform offers and no client has yet."""
    phones = Phones()
    adapters: Any = app.application.adapters
    adapters[SmsSender] = phones
    async with app.database.write(None) as work:
        await customer_apps.create_app(
            work, code=code, name="Parcels", type=type, now=START, idp_issuer=issuer, server_client_id=AUDIENCE
        )
    return phones


async def offer_customer_app(app: App, *, issuer: str = ISSUER, **settings: Any) -> Phones:
    """The customers' app, on at the demo client with every way to sign in."""
    phones = await publish_app(app, issuer=issuer)
    await app.answer(
        "admin",
        "update_app_settings",
        {"appCode": "customer-app", "enabled": True, "methods": EVERY_METHOD, "default_phone_region": "CA", **settings},
    )
    return phones


def code_of(outcome: OperationResult) -> tuple[int, str]:
    """The status and code of a refusal."""
    assert outcome.error is not None, outcome.answer
    return outcome.status, outcome.error["code"]
