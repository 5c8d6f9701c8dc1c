"""Request and response models for push devices."""

import re
from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, SecretStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.chat.ports import PushKind
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine, RecordId

ADDRESS_MAX, NAME_MAX = 2000, 80
DEVICE_TOKEN = re.compile(r"([0-9A-Fa-f]{2}){8,200}")
"""Format of an Apple device token. Apple does not guarantee its length."""
WEB_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"


class PushDeviceWords(Request):
    """Push address of a device."""

    kind: PushKind
    """Push service: `web` for browsers, `fcm` for apps with Firebase Cloud Messaging, `apns` for apps on Apple devices."""
    address: Annotated[
        SecretStr, Field(min_length=8, max_length=ADDRESS_MAX, examples=["https://push.example/send/kq3Nw0tyVHo"])
    ]
    """`endpoint` of a browser subscription, registration token of an app, or hexadecimal device token for `apns`."""
    p256dh: Annotated[str, Field(pattern=r"^B[A-Za-z0-9_-]{86}=?$", examples=[WEB_KEY])] | None = None
    """Public key of a browser subscription in base64url."""
    auth: Annotated[SecretStr, Field(min_length=22, max_length=24, examples=["BTBZMqHH6r4Tts7J_aSIgg"])] | None = None
    """Secret of a browser subscription in base64url."""
    name: (
        Annotated[
            str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine
        ]
        | None
    ) = None
    """Display name of the device."""

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        web = self.kind is PushKind.WEB
        url = self.address.get_secret_value().startswith(("https://", "http://"))
        if web and not (url and self.p256dh and self.auth):
            raise PydanticCustomError("push_web_incomplete", "a browser has a URL, p256dh and auth")
        if self.kind is PushKind.APNS and not DEVICE_TOKEN.fullmatch(self.address.get_secret_value()):
            raise PydanticCustomError("push_token_format", "a device token of Apple's is hexadecimal")
        return self


class RegisterPushDevice(PushDeviceWords):
    """Device of the caller."""


class ListPushDevices(Request):
    """List of the caller's devices."""


class RemovePushDevice(Request):
    """Device of the caller to remove."""

    device_id: RecordId
    """ID of the device."""


class RegisterDeliveryPushDevice(PushDeviceWords, DeliveryAccess):
    """Device of the recipient for this delivery only."""


class ListDeliveryPushDevices(DeliveryAccess):
    """List of the recipient's devices."""


class RemoveDeliveryPushDevice(DeliveryAccess):
    """Device of the recipient to remove."""

    device_id: RecordId
    """ID of the device."""


class PushDevice(Answer):
    """Push device. Its address is not shown."""

    id: int
    kind: PushKind
    name: str | None
    language: Annotated[str, doc("Language of notifications, taken from the call that registered the device.", "en")]
    created_at: datetime
    seen_at: Annotated[datetime, doc("Time of the last registration.")]


class PushDeviceAnswer(Answer):
    """Single device."""

    result: bool = True
    device: PushDevice


class PushDeviceList(Answer):
    """Devices, latest registration first."""

    result: bool = True
    kinds: Annotated[list[PushKind], doc("Available push services. Empty if there are none.", ["web"])]
    web_push_key: Annotated[str | None, doc("Value of the browser's `applicationServerKey`.", WEB_KEY)]
    devices: list[PushDevice]
