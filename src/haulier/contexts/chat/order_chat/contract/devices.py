"""Devices that are woken when somebody writes in a chat: requests and answers."""

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
"""Apple does not promise how long they are."""
WEB_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"


class PushDeviceWords(Request):
    """How a device is reached."""

    kind: PushKind
    """By which service: `web` for a browser, `fcm` for an app with Firebase Cloud Messaging, `apns` for an app on a device of
    Apple's by its own service."""
    address: Annotated[
        SecretStr, Field(min_length=8, max_length=ADDRESS_MAX, examples=["https://push.example/send/kq3Nw0tyVHo"])
    ]
    """The `endpoint` of a browser's subscription, an app's registration token, or for `apns` the hexadecimal device token."""
    p256dh: Annotated[str, Field(pattern=r"^B[A-Za-z0-9_-]{86}=?$", examples=[WEB_KEY])] | None = None
    """Of a browser's subscription: its public key, in base64url."""
    auth: Annotated[SecretStr, Field(min_length=22, max_length=24, examples=["BTBZMqHH6r4Tts7J_aSIgg"])] | None = None
    """Of a browser's subscription: its secret, in base64url."""
    name: (
        Annotated[
            str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX, pattern=NO_NUL), OneLine
        ]
        | None
    ) = None
    """What its owner calls it."""

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
    """A device of the caller's."""


class ListPushDevices(Request):
    """The caller's own."""


class RemovePushDevice(Request):
    """A device of the caller's."""

    device_id: RecordId
    """The device."""


class RegisterDeliveryPushDevice(PushDeviceWords, DeliveryAccess):
    """A device of the recipient's, for this delivery alone."""


class ListDeliveryPushDevices(DeliveryAccess):
    """The recipient's own."""


class RemoveDeliveryPushDevice(DeliveryAccess):
    """A device of the recipient's."""

    device_id: RecordId
    """The device."""


class PushDevice(Answer):
    """A device. How it is reached is not shown."""

    id: int
    kind: PushKind
    name: str | None
    language: Annotated[str, doc("In which it is told: that of the call that registered it", "en")]
    created_at: datetime
    seen_at: Annotated[datetime, doc("When it last registered")]


class PushDeviceAnswer(Answer):
    """One device."""

    result: bool = True
    device: PushDevice


class PushDeviceList(Answer):
    """Devices, the one that registered last first."""

    result: bool = True
    kinds: Annotated[list[PushKind], doc("The services that can be used here; empty where there are none", ["web"])]
    web_push_key: Annotated[str | None, doc("What a browser wants as `applicationServerKey`", WEB_KEY)]
    devices: list[PushDevice]
