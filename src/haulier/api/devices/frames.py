"""Frames as calls of operations, shared by all persistent connections."""

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
"""Maximum frame size. The largest expected frame has the state of 500 compartments."""
PACKET_MAX_BYTES = FRAME_MAX_BYTES + 4096
"""Maximum packet size: a frame plus its MQTT headers."""


class FrameKind(Protocol):
    """A kind of frame: its operation, its topic and the fields set by the server."""

    @property
    def operation(self) -> str:
        """Name of the operation."""
        ...

    @property
    def topic(self) -> str:
        """Last level of the topic."""
        ...

    @property
    def fixed(self) -> Mapping[str, Any]:
        """Request fields that the server sets."""
        ...


class Devices(Protocol):
    """The device functions that a device interface needs."""

    @property
    def frame_types(self) -> Mapping[str, FrameKind]:
        """Kinds of frames by their `type`."""
        ...

    @property
    def push_type(self) -> type[Answer]:
        """Type of the commands that are pushed to a device."""
        ...

    @property
    def notices(self) -> str:
        """Database channel that announces new commands and revoked credentials."""
        ...

    @property
    def levels(self) -> tuple[str, ...]:
        """Last levels of the topics to which devices publish."""
        ...

    async def find(self, app: Application, credential: str) -> tuple[int, int] | None:
        """Return the client and device of a valid credential, or None."""
        ...

    def connection_pass(self, client_id: int, device_id: int) -> str:
        """Return the credential for frames of an authenticated connection."""
        ...


class FrameReply(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a frame, with its status."""

    status: int
    body: bytes


class FrameInterface:
    """Answers the frames of one transport."""

    def __init__(self, app: Application, devices: Devices, wire: str) -> None:
        """`wire` names the transport in metrics and the audit trail."""
        self.app, self.devices, self.wire = app, devices, wire

    async def answer(self, payload: bytes, shown: str, *, level: str | None = None) -> FrameReply:
        """Answer one frame of an authenticated device.

        `level` is the last level of the topic on which the frame arrived.
        """
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
        """Return the answer to an invalid frame, which the device must not repeat."""
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
    """Decode a frame; returns None if it is invalid."""
    if len(payload) > FRAME_MAX_BYTES:
        return None
    try:
        frame = msgspec.json.decode(payload)
    except (msgspec.DecodeError, RecursionError):
        return None
    return frame if isinstance(frame, dict) else None
