"""Fields that the requests of several families of apps have."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticKnownError
from semver import Version

from haulier.contexts.customer_apps.apps.rules.versions import GRAMMAR, VERSION_MAX
from haulier.kernel.operations.declaration import Request

PATH = "/v1/apps/{appCode}/clients/{clientCode}"
"""Where the operations of one app at one client are."""

PRINTABLE_PATTERN = r"^[^\x00-\x1f]+$"
"""Text without control characters, which no name or number of a device has and no database keeps."""

AppCode = Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTABLE_PATTERN, examples=["customer-app"])]
ClientCode = Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTABLE_PATTERN, examples=["demo"])]
Platform = Literal["ios", "android"]


def _require_semantic_version(text: str) -> str:
    if not Version.is_valid(text):
        raise PydanticKnownError("string_pattern_mismatch", {"pattern": GRAMMAR})
    return text


SemanticVersion = Annotated[
    str,
    StringConstraints(max_length=VERSION_MAX),
    AfterValidator(_require_semantic_version),
    Field(examples=["1.4.0", "2.0.0-beta.1"], json_schema_extra={"pattern": GRAMMAR}),
]
DeviceId = Annotated[str, Field(min_length=1, max_length=191, pattern=PRINTABLE_PATTERN, examples=["6f1c2a9e-phone"])]


class AppRef(Request):
    """Which app."""

    app_code: AppCode = Field(alias="appCode")
    """The app's code."""


class ClientAppRef(AppRef):
    """Which app, at which client. The codes name a configuration; they open nothing."""

    client_code: ClientCode = Field(alias="clientCode")
    """The client's code."""


class DeviceRequest(ClientAppRef):
    """A call that an app makes from a device."""

    device_id: DeviceId
    """What the app calls the device that it runs on; the session is bound to it."""
    device_platform: Platform
    """The device's platform."""
    app_version: SemanticVersion | None = None
    """The app's version, as semver.org writes them."""
