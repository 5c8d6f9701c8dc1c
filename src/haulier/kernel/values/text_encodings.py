"""Detection of the character encoding of text files by their letters.

Byte order marks and UTF-8 are conclusive. Otherwise the code page is chosen whose decoded words best match the
alphabet of a language, preferring expected languages (docs/decisions/files.md).
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from unicodedata import category, normalize

from msgspec import Struct

from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.values.alphabets import ENCODINGS, LATIN, OTHER_SCRIPTS

AUTO = "auto"
ENCODING_WRONG = "field.file_encoding_wrong"
ENCODING_UNKNOWN = "field.file_encoding_unknown"
ENCODING_FAULTS = frozenset({ENCODING_WRONG, ENCODING_UNKNOWN})
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_UNICODE = frozenset({"utf-8", "utf-16", "utf-16-le", "utf-16-be"})
_OTHER_CODECS = frozenset(
    {"cp437", "cp1258", "euc_jp", "iso8859-15", "iso8859-5", "big5hkscs", "mac-cyrillic", "mac-greek"}
)
_WIDEST = {
    "ascii": "utf-8",
    "utf-8-sig": "utf-8",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_PUBLIC_NAMES = {
    **{f"cp{page}": f"windows-{page}" for page in (874, *range(1250, 1259))},
    **{f"cp{page}": f"ibm{page}" for page in (437, 850, 852, 866)},
    **{f"iso8859-{part}": f"iso-8859-{part}" for part in (2, 5, 6, 7, 8, 15)},
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "cp950": "big5",
    "euc_jp": "euc-jp",
    "mac-roman": "macintosh",
}
_SAMPLE_BYTES = 60_000
_LIKELY, _EXPECTED_BONUS = 0.6, 0.15
_WORD = re.compile(r"[^\W\d_]+")
_PUNCTUATION = frozenset("’‘“”„‚«»‹›–—…·¿¡ºª\xa0\u200e\u200f，。、（）：；－・「」『』【】　～！？＃／")
_SYMBOLS = frozenset("€£¥°§№©®™±½¼¾²³")
_COMMON_LEADS = {"gb18030": (0xB0, 0xD7), "cp950": (0xA4, 0xC6), "cp932": (0x88, 0x97), "cp949": (0xB0, 0xC8)}
_RARE_LEADS = {"gb18030": (0xD8, 0xF7), "cp950": (0xC9, 0xF9), "cp932": (0x98, 0xEA), "cp949": (0xCA, 0xFD)}


class TextHints(Struct, frozen=True):
    """How to decode a file: a named encoding, or the expected languages."""

    encoding: str | None = None
    languages: tuple[str, ...] = ()


class DecodedText(Struct, frozen=True):
    """Normalized text (NFC), and the encoding it was decoded from."""

    text: str
    encoding: str


def find_codec(name: str) -> str | None:
    """Return the codec for an encoding name, or None.

    As in browsers, a name selects its widest variant.
    """
    try:
        codec = codecs.lookup(re.sub("^windows[-_]", "cp", name.strip().lower())).name
    except LookupError:
        return None
    widest = _WIDEST.get(codec, codec)
    return widest if widest in ENCODINGS or widest in _UNICODE or widest in _OTHER_CODECS else None


def decode_text(content: bytes, hints: TextHints) -> DecodedText:
    """Decode a file.

    Raises `UnreadableFile` if it is not in the named, or in any known, encoding.
    """
    named = hints.encoding if hints.encoding != AUTO else None
    codec = (find_codec(named) or "utf-8") if named else _find_codec(content, hints.languages)
    for mark, of in _MARKS:
        if content.startswith(mark) and of.startswith(codec):
            content, codec = content[len(mark) :], of
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        raise UnreadableFile(ENCODING_WRONG if named else ENCODING_UNKNOWN) from None
    return DecodedText(normalize("NFC", text), _PUBLIC_NAMES.get(codec, codec))


def to_utf8(content: bytes, encoding: str | None) -> bytes:
    """Return a file in UTF-8 for storage until a job reads it.

    A workbook has no encoding and is unchanged.
    """
    return decode_text(content, TextHints(encoding)).text.encode() if encoding else content


def _find_codec(content: bytes, languages: Sequence[str]) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    if wide := _wide_encoding(content):
        return wide
    try:
        content.decode()
    except UnicodeDecodeError:
        return _code_page(content, languages)
    return "utf-8"


def _wide_encoding(content: bytes) -> str | None:
    """Detect UTF-16 without a mark, by the zero bytes of ASCII characters."""
    sample = content[: _SAMPLE_BYTES // 2 * 2]
    if 0 not in sample or len(content) % 2:
        return None
    shares = {name: _ascii_share(sample.decode(name, "replace")) for name in ("utf-16-le", "utf-16-be")}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > 0 else None


def _ascii_share(text: str) -> float:
    return sum(sign in "\t\r\n" or " " <= sign <= "~" for sign in text) / len(text)


def _code_page(content: bytes, languages: Sequence[str]) -> str:
    """Return the code page that best matches a language.

    Raises `UnreadableFile` if none does.
    """
    sample = b"\n".join(_telling_lines(content))
    scores = {
        encoding: score
        for place, (encoding, spoken) in enumerate(ENCODINGS.items())
        if (score := _best_score(sample, encoding, spoken, languages) - place / 10_000) >= _LIKELY
    }
    for encoding in sorted(scores, key=lambda name: -scores[name]):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    raise UnreadableFile(ENCODING_UNKNOWN)


def _telling_lines(content: bytes) -> Iterator[bytes]:
    """Yield the first lines with non-ASCII characters.

    No supported code page has line breaks inside characters.
    """
    size = 0
    for line in re.split(rb"[\r\n]+", content):
        if not line.isascii():
            yield line
            size += len(line)
            if size > _SAMPLE_BYTES:
                return


def _best_score(sample: bytes, encoding: str, spoken: Sequence[str], expected: Sequence[str]) -> float:
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    if any(category(sign) in ("Cc", "Co", "Cn") for sign in set(text) - {"\t", "\n"}):
        return 0.0
    best = 0.0
    for language in spoken:
        score = _score(text, encoding, language)
        is_expected = any(name == language or name.split("-")[0] == language for name in expected)
        best = max(best, score + (_EXPECTED_BONUS if is_expected and score >= _LIKELY else 0))
    return best


def _score(text: str, encoding: str, language: str) -> float:
    """Return the share, from 0 to 1, of non-ASCII letters that fit the language."""
    good = total = 0.0
    for word in _WORD.findall(text):
        letters = sum(not sign.isascii() for sign in word)
        if letters:
            total += letters
            good += letters * _word_score(word, encoding, language)
    bad = sum(_is_bad_symbol(text, place) for place, sign in enumerate(text) if not sign.isascii())
    return good / (total + 2 * bad) if total else (0.0 if bad else _LIKELY)


def _is_bad_symbol(text: str, place: int) -> bool:
    sign = text[place]
    if sign.isalpha() or sign in _PUNCTUATION or category(sign)[0] == "M":
        return False
    beside_letter = text[place + 1 : place + 2].isalpha() or text[place - 1 : place].isalpha()
    return sign not in _SYMBOLS or beside_letter


def _word_score(word: str, encoding: str, language: str) -> float:
    if language in LATIN:
        return _latin_score(word, language)
    if encoding in _COMMON_LEADS:
        return sum(_ideograph_score(sign, encoding) for sign in word if not sign.isascii()) / sum(
            not sign.isascii() for sign in word
        )
    weights = _letter_weights(language)
    if any(sign.isascii() for sign in word) or not _has_plain_case(word):
        return 0.0
    return min(1.0, sum(weights.get(sign, 0.0) for sign in word.lower()) / len(word) / 0.7)


def _latin_score(word: str, language: str) -> float:
    """Score a Latin word, in which accented letters are usually among plain ones.

    `Żółć` is an exception.
    """
    marked = [sign for sign in word if not sign.isascii()]
    if not _has_plain_case(word):
        return 0.0
    known = sum(sign in "ºª" or sign in LATIN[language] or sign.lower() in LATIN[language] for sign in marked)
    all_marked = len(word) > 2 and len(marked) == len(word)
    return known / len(marked) * (1.0 if not all_marked else 0.5 if len(word) <= 4 else 0.0)


def _has_plain_case(word: str) -> bool:
    """Return False for an accented capital after a small letter (`MontrŽal`)."""
    return not any(before.islower() and sign.isupper() and not sign.isascii() for before, sign in pairwise(word))


@cache
def _letter_weights(language: str) -> dict[str, float]:
    """Return weights of letters by frequency, from 1 to 0.2."""
    letters = OTHER_SCRIPTS[language]
    return {letter: 1 - 0.8 * place / len(letters) for place, letter in enumerate(letters)}


def _ideograph_score(sign: str, encoding: str) -> float:
    if "\u3040" <= sign <= "\u30ff":
        return 1.0 if encoding == "cp932" else 0.3
    code = sign.encode(encoding, "replace")
    if len(code) != 2 or (encoding in ("gb18030", "cp949") and code[1] < 0xA1):
        return 0.1
    first, last = _COMMON_LEADS[encoding]
    rare, rarest = _RARE_LEADS[encoding]
    return 1.0 if first <= code[0] <= last else 0.4 if rare <= code[0] <= rarest else 0.1
