"""The steps of a registration, as an app takes them."""

from typing import Any

from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE, Phones
from tests.support.app import App

from haulier.kernel.pipeline.result import OperationResult

NUMBER = "(416) 555-0123"
E164 = "+14165550123"
SECRET = "correct horse battery"
NIA = {"name": "Nia", "email": "nia@home.example", "password": SECRET}


async def request_code(app: App, phone: str = NUMBER, **options: Any) -> Any:
    """Ask for a code, which is sent. The challenge."""
    challenge = await app.answer(None, "request_phone_code", {**CLIENT_APP, "phone": phone}, **options)
    await app.work_off()
    return challenge


async def prove_phone(app: App, phones: Phones, phone: str = NUMBER) -> str:
    """Prove a phone. The token with which the registration continues."""
    challenge = await request_code(app, phone)
    body = {**CLIENT_APP, "challenge_id": challenge.challenge_id, "code": phones.code}
    return (await app.answer(None, "verify_phone", body)).registration_token


def completion_body(token: str, **changed: Any) -> dict[str, Any]:
    """The last step's body; what is changed to None is left out."""
    body = {**CLIENT_APP, **DEVICE, **NIA, "registration_token": token, **changed}
    return {name: value for name, value in body.items() if value is not None}


async def complete(app: App, token: str, **changed: Any) -> OperationResult:
    """Complete a registration with the token of a proven phone."""
    return await app.call(None, "complete_registration", completion_body(token, **changed))


async def waiting(app: App, phones: Phones, **changed: Any) -> int:
    """A registration that waits for approval. Its id."""
    result = await complete(app, await prove_phone(app, phones), **changed)
    assert result.answer is not None, result.error
    return (await app.answer("admin", "list_app_registrations")).registrations[0].id
