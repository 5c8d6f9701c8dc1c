"""Signing in to an app: requests and answers."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.customer_apps.apps.contract import ClientAppRef, DeviceRequest
from haulier.contexts.identity.fields import Password
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.text_safety import EMAIL_PATTERN

IdToken = Annotated[SecretStr, Field(min_length=1, max_length=16_384)]
Nonce = Annotated[str, Field(min_length=1, max_length=255)]


class SignInWithIdp(DeviceRequest):
    """An ID token of the app's identity provider."""

    id_token: IdToken
    """The ID token, issued for the app's backend (`server_client_id` of the bootstrap)."""
    nonce: Nonce | None = None
    """The nonce that the app asked the provider with; the token must then hold it."""


class SignInWithEmail(DeviceRequest):
    """An e-mail address and its password."""

    email: Annotated[
        str,
        StringConstraints(strip_whitespace=True, to_lower=True, max_length=254, pattern=EMAIL_PATTERN),
        Field(json_schema_extra={"format": "email"}),
    ]
    """The user's e-mail address; capital letters do not matter."""
    password: Password
    """The user's password."""


class RefreshAppSession(DeviceRequest):
    """The device that the session is bound to."""


class SignOutOfApp(ClientAppRef):
    """Which app, at which client."""


class AppUser(Answer):
    """Who signed in."""

    id: int
    name: str
    email: str


class AppContext(Answer):
    """What they signed in to."""

    app_code: str
    client_code: str
    client_name: str
    configuration_version: Annotated[int, doc("When it differs from the one the app has, the bootstrap has news")]


class AppSession(Answer):
    """A session of an app. The token goes into the header `Authorization: Bearer …`."""

    result: bool = True
    access_token: Annotated[str, doc("Shown once; only its digest is kept")]
    token_type: str = "Bearer"
    expires_at: Annotated[str, doc("In the business's time zone", "2026-06-24 10:00:00")]
    expires_timestamp: Annotated[int, doc("The same instant, in seconds since 1970 UTC", 1782310800)]
    user: AppUser
    app_context: AppContext
