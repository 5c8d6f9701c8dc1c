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
    """ID token issued for the app's backend (`server_client_id` of the bootstrap)."""
    nonce: Nonce | None = None
    """Nonce that the app sent to the provider. The token must contain it."""


class SignInWithEmail(DeviceRequest):
    """An e-mail address and its password."""

    email: Annotated[
        str,
        StringConstraints(strip_whitespace=True, to_lower=True, max_length=254, pattern=EMAIL_PATTERN),
        Field(json_schema_extra={"format": "email"}),
    ]
    """Email address of the user, ignoring case."""
    password: Password
    """Password of the user."""


class RefreshAppSession(DeviceRequest):
    """The device that the session is bound to."""


class SignOutOfApp(ClientAppRef):
    """Reference to an app at a client."""


class AppUser(Answer):
    """Signed-in user."""

    id: int
    name: str
    email: str


class AppContext(Answer):
    """Context of a sign-in."""

    app_code: str
    client_code: str
    client_name: str
    configuration_version: Annotated[
        int, doc("Digest of the configuration. If it differs from the app's, get the bootstrap again.")
    ]


class AppSession(Answer):
    """A session of an app. The token goes into the header `Authorization: Bearer …`."""

    result: bool = True
    access_token: Annotated[str, doc("Session token, shown only once")]
    token_type: str = "Bearer"
    expires_at: Annotated[str, doc("Time in the time zone of the business", "2026-06-24 10:00:00")]
    expires_timestamp: Annotated[int, doc("The same time in seconds since 1970 (UTC)", 1782310800)]
    user: AppUser
    app_context: AppContext
