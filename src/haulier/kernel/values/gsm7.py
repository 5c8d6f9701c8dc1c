"""The alphabet of text messages (3GPP TS 23.038): which signs it has, and how they are written an octet each."""

BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""The signs of the default alphabet in their order, without the escape at 1B."""
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
"""Signs that take two: the escape, and this."""
_CODES = {sign: bytes((place + (place >= ESCAPE),)) for place, sign in enumerate(BASIC)} | {
    sign: bytes((ESCAPE, code)) for sign, code in EXTENSION.items()
}
_SIGNS = {code[0]: sign for sign, code in _CODES.items() if len(code) == 1}
_EXTENDED = {code: sign for sign, code in EXTENSION.items()}


def encode_gsm7(text: str) -> list[bytes] | None:
    """The octets of each sign of a text, one or two; None where it has a sign that is not of the alphabet."""
    try:
        return [_CODES[sign] for sign in text]
    except KeyError:
        return None


def decode_gsm7(octets: bytes) -> str:
    """A text from its octets. What is no sign becomes a space, as the standard says of unknown extensions."""
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
