"""A frame becomes the call of an operation, its result an answer. All wires that keep a connection share this."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations import codec
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import INVALID_REQUEST, MALFORMED_JSON, FieldError, OperationError
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.values.ids import make_request_id

TYPE, SEQUENCE, CREDENTIAL = "type", "sequence", "credential"
FRAME_MAX_BYTES = 64 * 1024
"""Longer frames are not read: the longest that a device has reason to send holds the state of 500 doors."""
PACKET_MAX_BYTES = FRAME_MAX_BYTES + 4096
"""A frame, and room for what MQTT says about it."""


class FrameKind(Protocol):
    """A kind of frame: the operation that answers it, on which topic it comes, and fields that wires fix."""

    @property
    def operation(self) -> str:
        """The name of the operation."""
        ...

    @property
    def topic(self) -> str:
        """The last level of the topic."""
        ...

    @property
    def fixed(self) -> Mapping[str, Any]:
        """Fields of the request that no frame says."""
        ...


class Devices(Protocol):
    """What a door of devices asks about them."""

    @property
    def frame_types(self) -> Mapping[str, FrameKind]:
        """The kinds of frames, by the member `type`."""
        ...

    @property
    def push_type(self) -> type[Answer]:
        """What a device gets without asking."""
        ...

    @property
    def notices(self) -> str:
        """The channel of the database on which there is notice that a device has something to do, or was cut off."""
        ...

    @property
    def levels(self) -> tuple[str, ...]:
        """The last levels of the topics to which devices publish."""
        ...

    async def find(self, app: Application, credential: str) -> tuple[int, int] | None:
        """The client and the device of a credential that is in force, or None."""
        ...

    def connection_pass(self, client_id: int, device_id: int) -> str:
        """What stands in place of a credential in a frame whose connection is known to be this device's."""
        ...


class FrameReply(msgspec.Struct, frozen=True, kw_only=True):
    """What is said to a frame, and the status on its own."""

    status: int
    body: bytes


class FrameInterface:
    """Answers the frames of one wire."""

    def __init__(self, app: Application, devices: Devices, wire: str) -> None:
        """`wire` is what metrics and the audit trail call it."""
        self.app, self.devices, self.wire = app, devices, wire

    async def answer(self, payload: bytes, shown: str, *, level: str | None = None) -> FrameReply:
        """Answer one frame of a device that showed a credential. `level` is that of the topic on which it came."""
        frame = _read(payload)
        if frame is None:
            return self._refused(MALFORMED_JSON())
        told, sequence = frame.pop(TYPE, None), frame.get(SEQUENCE)
        number = sequence if type(sequence) is int else None
        kind = self.devices.frame_types.get(told) if isinstance(told, str) else None
        if kind is None or (level is not None and kind.topic != level):
            wrong = FieldError(TYPE, "field.literal_error", {"expected": ", ".join(self._kinds(level))})
            return self._refused(INVALID_REQUEST.for_fields(wrong), sequence=number)
        return await self._call(str(told), number, kind, {**frame, **kind.fixed, CREDENTIAL: shown})

    def _kinds(self, level: str | None) -> list[str]:
        return [name for name, kind in self.devices.frame_types.items() if level in (None, kind.topic)]

    def _refused(self, error: OperationError, *, sequence: int | None = None) -> FrameReply:
        """The answer to what is no frame. Its device must not say it again."""
        request_id, status = make_request_id(), error.error_type.status
        body = render_error(error, self.app.catalogues, DEFAULT_LANGUAGE, request_id)
        said = {"type": "answer", "to": "", "sequence": sequence, "status": status}
        return FrameReply(status=status, body=codec.encode_json({**said, "answer": None, "error": body}))

    async def _call(self, told: str, sequence: int | None, kind: FrameKind, fields: Mapping[str, Any]) -> FrameReply:
        asked = OperationRequest(
            operation=self.app.registry[kind.operation],
            interface=self.wire,
            request_id=make_request_id(),
            body=msgspec.json.encode(fields),
        )
        result = await handle_request(self.app, asked)
        said = {"type": "answer", "to": told, "sequence": sequence, "status": result.status}
        body = codec.encode_json({**said, "answer": result.answer, "error": result.error})
        return FrameReply(status=result.status, body=body)


def _read(payload: bytes) -> dict[str, Any] | None:
    """The members of a frame, or None for what is none."""
    if len(payload) > FRAME_MAX_BYTES:
        return None
    try:
        frame = msgspec.json.decode(payload)
    except (msgspec.DecodeError, RecursionError):
        return None
    return frame if isinstance(frame, dict) else None
