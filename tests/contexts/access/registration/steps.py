"""The steps of a registration, as an app takes them."""

from typing import Any

from tests.app import App
from tests.contexts.access.customer_app import AT, PHONE, Phones

NUMBER = "(416) 555-0123"
E164 = "+14165550123"
SECRET = "correct horse battery"
NIA = {"name": "Nia", "email": "nia@home.example", "password": SECRET}


async def asked(app: App, phone: str = NUMBER, **words: Any) -> Any:
    """A code was asked for and sent."""
    challenge = await app.answer(None, "request_phone_code", {**AT, "phone": phone}, **words)
    await app.work_off()
    return challenge


async def proved(app: App, phones: Phones, phone: str = NUMBER) -> str:
    """A phone was proved. The token that continues."""
    challenge = await asked(app, phone)
    body = {**AT, "challenge_id": challenge.challenge_id, "code": phones.code}
    return (await app.answer(None, "verify_phone", body)).registration_token


def completion(token: str, **changed: Any) -> dict[str, Any]:
    """The last step's body; what is changed to None is left out."""
    body = {**AT, **PHONE, **NIA, "registration_token": token, **changed}
    return {name: value for name, value in body.items() if value is not None}
