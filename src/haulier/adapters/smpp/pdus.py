"""Encoding and decoding of the SMPP 3.4 PDUs of an SMS sender.

See SMPP Protocol Specification v3.4, chapters 4 and 5.
"""

import struct
from enum import IntEnum

from msgspec import Struct

HEADER = struct.Struct(">IIII")
MAX_PDU = 1 << 17
"""Maximum size of a PDU in bytes. `message_payload` has at most 64 KiB."""
RESPONSE = 0x80000000
VERSION = 0x34


class Command(IntEnum):
    """Command ID of a PDU. Its response also has the highest bit set."""

    BIND_RECEIVER = 0x01
    BIND_TRANSMITTER = 0x02
    SUBMIT_SM = 0x04
    DELIVER_SM = 0x05
    UNBIND = 0x06
    BIND_TRANSCEIVER = 0x09
    ENQUIRE_LINK = 0x15
    GENERIC_NACK = 0x80000000


class Status(IntEnum):
    """Status codes that are handled."""

    OK = 0x00
    INVALID_COMMAND = 0x03
    ALREADY_BOUND = 0x05
    SYSTEM_ERROR = 0x08
    BIND_FAILED = 0x0D
    INVALID_PASSWORD = 0x0E
    INVALID_SYSTEM_ID = 0x0F
    QUEUE_FULL = 0x14
    THROTTLED = 0x58
    TEMPORARY = 0x64
    """ESME_RX_T_APPN: temporary error. The message centre delivers the message again."""


class Tag(IntEnum):
    """Optional parameters that are read or written."""

    RECEIPTED_MESSAGE_ID = 0x001E
    NETWORK_ERROR_CODE = 0x0423
    MESSAGE_PAYLOAD = 0x0424
    MESSAGE_STATE = 0x0427


class BadPdu(Exception):
    """Raised for malformed PDUs."""


class Pdu(Struct, frozen=True):
    """PDU with a decoded header and a raw body."""

    command: int
    status: int
    sequence: int
    body: bytes = b""

    def encode(self) -> bytes:
        """Encode the whole PDU."""
        return HEADER.pack(HEADER.size + len(self.body), self.command, self.status, self.sequence) + self.body


class Address(Struct, frozen=True):
    """Number or name, with its type of number and numbering plan."""

    ton: int
    npi: int
    value: str

    def encode(self) -> bytes:
        """Encode the address for a PDU."""
        return bytes((self.ton, self.npi)) + c_string(self.value)


class Submit(Struct, frozen=True, kw_only=True):
    """Message to submit."""

    source: Address
    destination: Address
    message: bytes
    data_coding: int
    udh: bool = False
    receipt: bool = True
    payload: bool = False

    def encode(self) -> bytes:
        """Encode the body of a submit_sm."""
        flags = bytes((0x40 if self.udh else 0, 0, 0))
        plain = c_string("") + self.source.encode() + self.destination.encode() + flags + c_string("") * 2
        plain += bytes((int(self.receipt), 0, self.data_coding, 0))
        if self.payload:
            return plain + b"\x00" + struct.pack(">HH", Tag.MESSAGE_PAYLOAD, len(self.message)) + self.message
        return plain + bytes((len(self.message),)) + self.message


class Deliver(Struct, frozen=True, kw_only=True):
    """Delivery of a message centre: a reply or a receipt."""

    source: Address
    destination: Address
    esm_class: int
    data_coding: int
    message: bytes
    options: dict[int, bytes]


def c_string(text: str) -> bytes:
    """Encode a text with a terminating zero octet."""
    return text.encode("ascii", "replace") + b"\x00"


def bind_body(system_id: str, password: str, system_type: str) -> bytes:
    """Encode the body of a bind, for all addresses."""
    named = c_string(system_id) + c_string(password) + c_string(system_type)
    return named + bytes((VERSION, 0, 0)) + c_string("")


class _Reader:
    """Sequential reader of the fields of a body."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    def octets(self, count: int) -> bytes:
        taken = self._body[self._at : self._at + count]
        if len(taken) < count:
            raise BadPdu
        self._at += count
        return taken

    def octet(self) -> int:
        return self.octets(1)[0]

    def c_string(self) -> str:
        end = self._body.find(b"\x00", self._at)
        if end < 0:
            raise BadPdu
        taken, self._at = self._body[self._at : end], end + 1
        return taken.decode("latin-1")

    def address(self) -> Address:
        return Address(self.octet(), self.octet(), self.c_string())

    def options(self) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        while self._at < len(self._body):
            tag, length = struct.unpack(">HH", self.octets(4))
            found[tag] = self.octets(length)
        return found


def parse_deliver(body: bytes) -> Deliver:
    """Parse the body of a deliver_sm. Raises `BadPdu`."""
    fields = _Reader(body)
    fields.c_string()
    source, destination = fields.address(), fields.address()
    esm_class = fields.octets(3)[0]
    fields.c_string()
    fields.c_string()
    data_coding = fields.octets(4)[2]
    message = fields.octets(fields.octet())
    options = fields.options()
    return Deliver(
        source=source,
        destination=destination,
        esm_class=esm_class,
        data_coding=data_coding,
        message=message or options.get(Tag.MESSAGE_PAYLOAD, message),
        options=options,
    )


def parse_message_id(body: bytes) -> str:
    """Return the message ID of a submit_sm_resp, or an empty string."""
    return body.split(b"\x00", 1)[0].decode("latin-1")
