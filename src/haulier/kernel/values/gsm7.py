"""The GSM 7-bit alphabet of SMS (3GPP TS 23.038), one octet per character."""

BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""Characters of the default alphabet in order, without the escape at 1B."""
ESCAPE = 0x1B
EXTENSION = {
    "\f": 0x0A,
    "^": 0x14,
    "{": 0x28,
    "}": 0x29,
    "\\": 0x2F,
    "[": 0x3C,
    "~": 0x3D,
    "]": 0x3E,
    "|": 0x40,
    "€": 0x65,
}
"""Characters encoded as the escape and this octet."""
_CODES = {sign: bytes((place + (place >= ESCAPE),)) for place, sign in enumerate(BASIC)} | {
    sign: bytes((ESCAPE, code)) for sign, code in EXTENSION.items()
}
_SIGNS = {code[0]: sign for sign, code in _CODES.items() if len(code) == 1}
_EXTENDED = {code: sign for sign, code in EXTENSION.items()}


def encode_gsm7(text: str) -> list[bytes] | None:
    """Return the octets of each character, or None if the alphabet lacks one."""
    try:
        return [_CODES[sign] for sign in text]
    except KeyError:
        return None


def decode_gsm7(octets: bytes) -> str:
    """Decode octets.

    Unknown characters become spaces, as the standard requires for unknown extensions.
    """
    signs: list[str] = []
    escaped = False
    for octet in octets:
        if escaped:
            signs.append(_EXTENDED.get(octet, _SIGNS.get(octet, " ")))
            escaped = False
        elif octet == ESCAPE:
            escaped = True
        else:
            signs.append(_SIGNS.get(octet, " "))
    return "".join(signs)
