"""The steps of a registration, as an app takes them."""

from typing import Any

from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, Phones
from tests.support.app import App

NUMBER = "(416) 555-0123"
E164 = "+14165550123"
SECRET = "correct horse battery"
NIA = {"name": "Nia", "email": "nia@home.example", "password": SECRET}


async def request_code(app: App, phone: str = NUMBER, **words: Any) -> Any:
    """A code was asked for and sent."""
    challenge = await app.answer(None, "request_phone_code", {**CLIENT_APP, "phone": phone}, **words)
    await app.work_off()
    return challenge


async def prove_phone(app: App, phones: Phones, phone: str = NUMBER) -> str:
    """A phone was proved. The token that continues."""
    challenge = await request_code(app, phone)
    body = {**CLIENT_APP, "challenge_id": challenge.challenge_id, "code": phones.code}
    return (await app.answer(None, "verify_phone", body)).registration_token


def completion_body(token: str, **changed: Any) -> dict[str, Any]:
    """The last step's body; what is changed to None is left out."""
    body = {**CLIENT_APP, **DEVICE, **NIA, "registration_token": token, **changed}
    return {name: value for name, value in body.items() if value is not None}
