"""Texts as SMPP carries them: written in GSM-7 or UCS-2, in parts where they are long; receipts and answers read."""

import re
from collections.abc import Sequence

from haulier.adapters.smpp.pdus import Address, Deliver, Submit, Tag
from haulier.contexts.messaging.ports import ReceiptState, SmsAnswered, SmsReceipt
from haulier.kernel.values.gsm7 import decode_gsm7, encode_gsm7

DEFAULT_ALPHABET, ASCII, LATIN_1, UCS_2 = 0x00, 0x01, 0x03, 0x08
OCTETS_ALONE, OCTETS_JOINED = {DEFAULT_ALPHABET: 160, UCS_2: 140}, {DEFAULT_ALPHABET: 153, UCS_2: 134}
RECEIPT, NOTIFICATION, OF_A_TEXT = 0x04, 0x20, 0x3C
"""Bits of `esm_class` that tell receipts from answers."""
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
"""The values of the parameter `message_state`, by the words of receipts."""
_FIELD = re.compile(r"\b(id|stat|err):\s*(\S+)", re.IGNORECASE)


def encode_text(text: str) -> tuple[int, list[bytes]]:
    """The data coding of a text, and the octets of each sign."""
    septets = encode_gsm7(text)
    if septets is not None:
        return DEFAULT_ALPHABET, septets
    return UCS_2, [sign.encode("utf-16-be", "replace") for sign in text]


def split_text(text: str, reference: int, *, payload: bool) -> list[Submit]:
    """The submissions of a text, from and to nobody yet. Long ones are joined by a user data header, or go as one payload.

    Only the last part asks for a receipt: it is the last to be handed over, so its fate tells that of all.
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
    """A sender or recipient: a number in E.164, a short code, or a name."""
    if number.startswith("+"):
        return Address(1, 1, number[1:])
    return Address(3, 0, number) if number.isdigit() else Address(5, 0, number)


def read_delivery(delivered: Deliver) -> Sequence[SmsReceipt | SmsAnswered]:
    """What a delivery tells; nothing where it is neither a receipt nor an answer of a telephone."""
    if delivered.esm_class & OF_A_TEXT in (RECEIPT, NOTIFICATION):
        receipt = _read_receipt(delivered)
        return [receipt] if receipt else []
    phone, text = _phone(delivered.source), _read_text(delivered)
    return [SmsAnswered(provider_ref="", phone=phone, text=text)] if phone and text is not None else []


def _phone(address: Address) -> str | None:
    digits = address.value.lstrip("+")
    return f"+{digits}" if digits.isascii() and digits.isdigit() and 7 <= len(digits) <= 15 else None


def _read_receipt(delivered: Deliver) -> SmsReceipt | None:
    """The fields of a receipt: optional parameters first, else the words of its text (appendix B)."""
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
    """A number as others write it: some message centres name a text in hexadecimal first, and in decimal in its receipt."""
    found: set[str] = set()
    if reference.isascii() and reference.isdigit():
        found |= {f"{int(reference):x}", f"{int(reference):X}", f"{int(reference):08x}", f"{int(reference):08X}"}
    if re.fullmatch(r"[0-9A-Fa-f]{1,32}", reference):
        found.add(str(int(reference, 16)))
    return tuple(sorted(found - {reference}))


def _read_text(delivered: Deliver) -> str | None:
    """The text of an answer; None for data that is no text."""
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
