"""Encoding and splitting of SMS messages, and parsing of receipts and replies."""

import re
from collections.abc import Sequence

from haulier.adapters.smpp.pdus import Address, Deliver, Submit, Tag
from haulier.contexts.messaging.ports import ReceiptState, SmsAnswered, SmsReceipt
from haulier.kernel.values.gsm7 import decode_gsm7, encode_gsm7

DEFAULT_ALPHABET, ASCII, LATIN_1, UCS_2 = 0x00, 0x01, 0x03, 0x08
OCTETS_ALONE, OCTETS_JOINED = {DEFAULT_ALPHABET: 160, UCS_2: 140}, {DEFAULT_ALPHABET: 153, UCS_2: 134}
RECEIPT, NOTIFICATION, OF_A_TEXT = 0x04, 0x20, 0x3C
"""Bits of `esm_class` that distinguish receipts from replies."""
HAS_UDH = 0x40
_STATES = {
    "ENROUTE": ReceiptState.SENT,
    "ACCEPTD": ReceiptState.SENT,
    "DELIVRD": ReceiptState.DELIVERED,
    "EXPIRED": ReceiptState.UNDELIVERED,
    "DELETED": ReceiptState.UNDELIVERED,
    "UNDELIV": ReceiptState.UNDELIVERED,
    "UNKNOWN": ReceiptState.UNDELIVERED,
    "REJECTD": ReceiptState.FAILED,
}
_NUMBERED = ("", "ENROUTE", "DELIVRD", "EXPIRED", "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN", "REJECTD")
"""Receipt words, indexed by the value of the parameter `message_state`."""
_FIELD = re.compile(r"\b(id|stat|err):\s*(\S+)", re.IGNORECASE)


def encode_text(text: str) -> tuple[int, list[bytes]]:
    """Return the data coding of a text and the octets of each character."""
    septets = encode_gsm7(text)
    if septets is not None:
        return DEFAULT_ALPHABET, septets
    return UCS_2, [sign.encode("utf-16-be", "replace") for sign in text]


def split_text(text: str, reference: int, *, payload: bool) -> list[Submit]:
    """Split a text into submissions, with empty addresses.

    Parts are joined by a user data header. With `payload`, a long text is sent in one submission. Only the last part
    requests a receipt, because it is delivered last.
    """
    coding, signs = encode_text(text)
    whole = b"".join(signs)
    nobody = Address(0, 0, "")
    if payload or len(whole) <= OCTETS_ALONE[coding]:
        long = len(whole) > OCTETS_ALONE[coding]
        return [Submit(source=nobody, destination=nobody, message=whole, data_coding=coding, payload=long)]
    parts = [bytearray()]
    for sign in signs:
        if len(parts[-1]) + len(sign) > OCTETS_JOINED[coding]:
            parts.append(bytearray())
        parts[-1] += sign
    heads = (bytes((5, 0, 3, reference & 0xFF, len(parts), number)) for number in range(1, len(parts) + 1))
    return [
        Submit(
            source=nobody,
            destination=nobody,
            message=head + part,
            data_coding=coding,
            udh=True,
            receipt=head[5] == len(parts),
        )
        for head, part in zip(heads, parts, strict=True)
    ]


def address_of(number: str) -> Address:
    """Return the address of an E.164 number, a short code or a name."""
    if number.startswith("+"):
        return Address(1, 1, number[1:])
    return Address(3, 0, number) if number.isdigit() else Address(5, 0, number)


def read_delivery(delivered: Deliver) -> Sequence[SmsReceipt | SmsAnswered]:
    """Parse a delivery. Empty if it is neither a receipt nor a reply."""
    if delivered.esm_class & OF_A_TEXT in (RECEIPT, NOTIFICATION):
        receipt = _read_receipt(delivered)
        return [receipt] if receipt else []
    phone, text = _phone(delivered.source), _read_text(delivered)
    return [SmsAnswered(provider_ref="", phone=phone, text=text)] if phone and text is not None else []


def _phone(address: Address) -> str | None:
    digits = address.value.lstrip("+")
    return f"+{digits}" if digits.isascii() and digits.isdigit() and 7 <= len(digits) <= 15 else None


def _read_receipt(delivered: Deliver) -> SmsReceipt | None:
    """Parse a receipt from its optional parameters, or else its text (appendix B)."""
    named = {name.lower(): value for name, value in _FIELD.findall(delivered.message.decode("latin-1"))}
    numbered = delivered.options.get(Tag.MESSAGE_STATE, b"\x00")[-1]
    word = _NUMBERED[numbered] if 0 < numbered < len(_NUMBERED) else named.get("stat", "").upper()[:7]
    given = delivered.options.get(Tag.RECEIPTED_MESSAGE_ID, b"").rstrip(b"\x00").decode("latin-1")
    reference, state = given or named.get("id", ""), _STATES.get(word)
    if not reference or state is None:
        return None
    code = None if state in (ReceiptState.SENT, ReceiptState.DELIVERED) else f"{word}:{named.get('err', '')}"
    return SmsReceipt(
        provider_ref=reference,
        state=state,
        code=code.rstrip(":") if code else None,
        phone=_phone(delivered.source),
        other_refs=_otherwise_written(reference),
    )


def _otherwise_written(reference: str) -> tuple[str, ...]:
    """Return other notations of a message ID.

    Some message centres return a hexadecimal ID on submission and a decimal ID in the receipt.
    """
    found: set[str] = set()
    if reference.isascii() and reference.isdigit():
        found |= {f"{int(reference):x}", f"{int(reference):X}", f"{int(reference):08x}", f"{int(reference):08X}"}
    if re.fullmatch(r"[0-9A-Fa-f]{1,32}", reference):
        found.add(str(int(reference, 16)))
    return tuple(sorted(found - {reference}))


def _read_text(delivered: Deliver) -> str | None:
    """Return the text of a reply, or None for binary data."""
    octets, coding = delivered.message, delivered.data_coding
    if delivered.esm_class & HAS_UDH and octets:
        octets = octets[octets[0] + 1 :]
    if coding & 0xF0 == 0xF0:
        coding = 0x04 if coding & 0x04 else DEFAULT_ALPHABET
    if coding == UCS_2:
        return octets.decode("utf-16-be", "replace")
    if coding in (ASCII, LATIN_1):
        return octets.decode("latin-1")
    return decode_gsm7(octets) if coding == DEFAULT_ALPHABET else None
