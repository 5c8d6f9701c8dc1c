"""Fields that the requests of several families of apps have."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticKnownError
from semver import Version

from haulier.contexts.access.apps.rules.versions import GRAMMAR, VERSION_MAX
from haulier.kernel.operation import Request

TAG = "Platform Apps"
PATH = "/v1/apps/{appCode}/clients/{clientCode}"
"""Where the operations of one app at one client are."""

PRINTED = r"^[^\x00-\x1f]+$"
"""Text without control characters, which no name or number of a device has and no database keeps."""

AppCode = Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTED, examples=["customer-app"])]
ClientCode = Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTED, examples=["demo"])]
Platform = Literal["ios", "android"]


def _semantic(text: str) -> str:
    if not Version.is_valid(text):
        raise PydanticKnownError("string_pattern_mismatch", {"pattern": GRAMMAR})
    return text


SemanticVersion = Annotated[
    str,
    StringConstraints(max_length=VERSION_MAX),
    AfterValidator(_semantic),
    Field(examples=["1.4.0", "2.0.0-beta.1"], json_schema_extra={"pattern": GRAMMAR}),
]
DeviceId = Annotated[str, Field(min_length=1, max_length=191, pattern=PRINTED, examples=["6f1c2a9e-phone"])]


class ThisApp(Request):
    """Which app."""

    app_code: AppCode = Field(alias="appCode")
    """The app's code."""


class AppAtClient(ThisApp):
    """Which app, at which client. The codes name a configuration; they open nothing."""

    client_code: ClientCode = Field(alias="clientCode")
    """The client's code."""


class OnADevice(AppAtClient):
    """A call that an app makes from a device."""

    device_id: DeviceId
    """What the app calls the device that it runs on; the session is bound to it."""
    device_platform: Platform
    """The device's platform."""
    app_version: SemanticVersion | None = None
    """The app's version, as semver.org writes them."""
