"""Rules of campaigns: campaigns.

English words are those of the CTIA; carriers honour them whatever the language of the text was.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from haulier.contexts.messaging.campaigns.errors import SMS_CAMPAIGN_STEP_REFUSED
from haulier.kernel.file_reading import ReadingLimits, reading_job
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.values.gsm7 import BASIC, EXTENSION
from haulier.kernel.values.state_machine import StateMachine
from haulier.kernel.values.table_files import FormatQuestion, NamedRows, read_table


class AudienceRules(Struct, frozen=True, kw_only=True):
    """Contacts that match all of these; an empty list asks for nothing."""

    languages: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    tags_none: tuple[str, ...] = ()
    created_after: datetime | None = None


_PLAIN = ("phone", "name", "language", "time_zone", "source")
_CONSENT = {
    "consent_purpose": "purpose",
    "consent_basis": "basis",
    "consent_method": "method",
    "consent_wording": "wording",
    "consent_source": "source",
    "consent_at": "occurred_at",
}


@reading_job(question=FormatQuestion, answer=NamedRows)
def read_contact_rows(content: bytes, question: FormatQuestion, limits: ReadingLimits) -> NamedRows:
    """Return the rows of a file by lower-case column names.

    Empty cells are left out. Raises `UnreadableTable`.
    """
    header, rows, encoding = read_table(content, question.format, text=question.text, limits=limits)
    names = [name.casefold().replace(" ", "_") for name in header]
    named = [
        replace_unstorable({name: cell for name, cell in zip(names, row, strict=True) if name and cell}) for row in rows
    ]
    return NamedRows(named, encoding)


def contact_document(row: Mapping[str, str], consent: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the request of a row.

    `consent` is the default for rows without consent columns.
    """
    document: dict[str, Any] = {name: row[name] for name in _PLAIN if name in row}
    if "phone" in document and not document["phone"].startswith("+"):
        document["phone"] = f"+{document['phone']}"
    if "tags" in row:
        document["tags"] = [tag.strip() for tag in row["tags"].split(",") if tag.strip()]
    own = {field: row[column] for column, field in _CONSENT.items() if column in row}
    given = own or consent
    variables = {name: cell for name, cell in row.items() if name not in (*_PLAIN, *_CONSENT, "tags")}
    return document | {"variables": variables} | ({"consents": [given]} if given else {})


class ReplyMeaning(StrEnum):
    """Meaning of a reply."""

    STOP = "stop"
    START = "start"
    HELP = "help"
    IN_QUESTION = "in_question"
    """Holds a word for stopping among others: nothing is sent until a person has read it."""
    OTHER = "other"
    """Anything else; a person reads it."""


_ENGLISH = (
    "stop",
    "stopall",
    "stop all",
    "unsubscribe",
    "cancel",
    "end",
    "quit",
    "revoke",
    "optout",
    "opt out",
    "remove",
)
_GERMAN = ("stopp", "abmelden", "abbestellen", "beenden", "kündigen", "ende")
_FRENCH = ("arret", "arrêt", "arrêter", "désabonner", "se désabonner", "desabonner", "désinscrire", "annuler")
_SPANISH = ("alto", "parar", "baja", "dar de baja", "cancelar", "detener")
_CHINESE = ("停止", "退订", "退訂", "取消", "取消订阅", "取消訂閱", "td")
STOP_WORDS = frozenset((*_ENGLISH, *_GERMAN, *_FRENCH, *_SPANISH, *_CHINESE))
_START = ("start", "unstop", "subscribe", "anmelden", "starten", "reprendre", "commencer", "alta", "iniciar")
START_WORDS = frozenset((*_START, "开始", "開始", "订阅", "訂閱"))
HELP_WORDS = frozenset(("help", "info", "hilfe", "aide", "ayuda", "帮助", "幫助", "說明", "说明"))
_MARKS = re.compile(r"[\W_]+")
_CHINESE_STOP = tuple(sorted(word for word in STOP_WORDS if ord(word[0]) > 0x2E80))


def normalized_reply(text: str) -> str:
    """Return an answer without case, accents of width, marks and doubled spaces."""
    return " ".join(_MARKS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split())


def meaning_of(text: str) -> ReplyMeaning:
    """Return the meaning of a reply.

    A single word counts, also with punctuation. Sentences are left to staff.
    """
    words = normalized_reply(text)
    if words in STOP_WORDS:
        return ReplyMeaning.STOP
    if words in START_WORDS:
        return ReplyMeaning.START
    if words in HELP_WORDS:
        return ReplyMeaning.HELP
    if STOP_WORDS & set(words.split()) or any(word in words for word in _CHINESE_STOP):
        return ReplyMeaning.IN_QUESTION
    return ReplyMeaning.OTHER


class CampaignStatus(StrEnum):
    """Status of a campaign."""

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    SENDING = "sending"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class CampaignAction(StrEnum):
    """Action on a campaign."""

    SCHEDULE = "schedule"
    BEGIN = "begin"
    PAUSE = "pause"
    RESUME = "resume"
    FINISH = "finish"
    CANCEL = "cancel"


class MessageState(StrEnum):
    """State of a recipient's message."""

    WAITING = "waiting"
    SENDING = "sending"
    """Claimed, and being handed to the provider."""
    SENT = "sent"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    FAILED = "failed"
    """The provider refused it."""
    UNKNOWN = "unknown"
    """Unknown whether the provider accepted it. It is not sent again, to avoid duplicates."""
    SKIPPED = "skipped"
    """Not sent; `reason` says why."""


class SkipReason(StrEnum):
    """Why a text was not sent."""

    NO_CONSENT = "no_consent"
    SUPPRESSED = "suppressed"
    CONTACT_GONE = "contact_gone"
    VARIABLE_MISSING = "variable_missing"
    TEXT_TOO_LONG = "text_too_long"
    CAMPAIGN_CANCELLED = "campaign_cancelled"


NEVER_HANDED_OVER = frozenset({MessageState.WAITING, MessageState.SKIPPED})
SETTLED = frozenset({MessageState.DELIVERED, MessageState.UNDELIVERED, MessageState.FAILED, MessageState.SKIPPED})


def _refused(action: CampaignAction, status: CampaignStatus) -> OperationError:
    return SMS_CAMPAIGN_STEP_REFUSED(action=action.value, status=status.value)


_S, _A = CampaignStatus, CampaignAction
campaign_life: StateMachine[CampaignStatus, CampaignAction] = StateMachine(
    {
        _A.SCHEDULE: {_S.DRAFT: _S.SCHEDULED, _S.SCHEDULED: _S.SCHEDULED},
        _A.BEGIN: {_S.SCHEDULED: _S.SENDING},
        _A.PAUSE: {_S.SCHEDULED: _S.PAUSED, _S.SENDING: _S.PAUSED},
        _A.RESUME: {_S.PAUSED: _S.SENDING},
        _A.FINISH: {_S.SENDING: _S.DONE},
        _A.CANCEL: dict.fromkeys((_S.DRAFT, _S.SCHEDULED, _S.SENDING, _S.PAUSED), _S.CANCELLED),
    },
    created={_S.DRAFT: "create_sms_campaign"},
    error=_refused,
)


def mermaid() -> str:
    """Return the life of a campaign, drawn."""
    return campaign_life.mermaid()


_RANK = {MessageState.SENDING: 0, MessageState.UNKNOWN: 0, MessageState.SENT: 1}


def next_message_state(known: MessageState, told: MessageState) -> MessageState:
    """Return the state of a message after a receipt.

    Receipts may come in any order: final states stay, and no state goes back.
    """
    if known in SETTLED or known is MessageState.WAITING:
        return known
    return told if _RANK.get(told, 2) >= _RANK[known] else known


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_CODE = re.compile(r"([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{1,6})-([0-9a-z]{4,8})")


class LinkCode(Struct, frozen=True):
    """The parts of a short link."""

    client_id: int
    campaign_id: int
    position: int
    link_key: str

    def __str__(self) -> str:
        numbers = (self.client_id, self.campaign_id, self.position)
        return "-".join([*map(_base_36, numbers), self.link_key])


def parse_link_code(code: str) -> LinkCode | None:
    """Return the parts of a short link; None for a text that is none."""
    found = _CODE.fullmatch(code)
    if found is None:
        return None
    client, campaign, position = (int(part, 36) for part in found.groups()[:3])
    return LinkCode(client, campaign, position, found.group(4)) if max(client, campaign) < 2**53 else None


def _base_36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits


_SEPTETS = dict.fromkeys(BASIC, 1) | dict.fromkeys(EXTENSION, 2)
MAX_SEGMENTS = 10
"""Carriers drop longer messages."""
VARIABLE = re.compile(r"\{([a-z][a-z0-9_]{0,29})(?:\|([^{}|]{0,60}))?\}")


class TextEncoding(StrEnum):
    """Encoding of a message."""

    GSM_7 = "gsm_7"
    UCS_2 = "ucs_2"


class TextSize(Struct, frozen=True):
    """Size of a message: `units` are septets of GSM-7 or UTF-16 units of UCS-2."""

    encoding: TextEncoding
    units: int
    segments: int
    per_segment: int


class MissingVariable(Exception):
    """A text asks for a variable that a contact has not, and says nothing instead."""


def measure_text(text: str) -> TextSize:
    """Return the size of a message (3GPP TS 23.038 and 23.040).

    A segment has 160 or 153 septets, or 70 or 67 UTF-16 units. Characters of two units are never split between
    segments.
    """
    if all(sign in _SEPTETS for sign in text):
        sizes, encoding, alone, joined = [_SEPTETS[sign] for sign in text], TextEncoding.GSM_7, 160, 153
    else:
        sizes, encoding, alone, joined = [2 if ord(s) > 0xFFFF else 1 for s in text], TextEncoding.UCS_2, 70, 67
    units = sum(sizes)
    if units <= alone:
        return TextSize(encoding, units, 1, alone)
    segments, room = 1, joined
    for size in sizes:
        if size > room:
            segments, room = segments + 1, joined
        room -= size
    return TextSize(encoding, units, segments, joined)


def has_loose_braces(text: str) -> bool:
    """Return True if a text has braces that are no variable, likely by mistake."""
    return bool(set("{}") & set(VARIABLE.sub("", text)))


def fill_variables(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its variables filled in.

    `{name

    friend}` has a default for a missing value. Raises `MissingVariable`.
    """

    def filled(match: re.Match[str]) -> str:
        value = values.get(match.group(1)) or match.group(2)
        if value is None:
            raise MissingVariable(match.group(1))
        return value

    return VARIABLE.sub(filled, text)


def with_opt_out(text: str, hint: str, business: str) -> str:
    """Return a marketing message that names its sender and the opt-out.

    Added only if the text lacks them.
    """
    named = text if business.casefold() in text.casefold() else f"{business}: {text}"
    return named if re.search(r"\bSTOP\b", named) else f"{named} {hint}"


class WinnerMeasure(StrEnum):
    """By what variants are compared."""

    VISITS = "visits"
    """The share of texts whose short link was visited: the most wins."""
    STOPS = "stops"
    """The share of texts that were answered with STOP: the least wins."""


class ComparisonState(StrEnum):
    """State of the test of a campaign's variants."""

    SAMPLING = "sampling"
    """The sample gets its texts, or will."""
    MEASURING = "measuring"
    """The sample has its texts; visits and stops are counted."""
    CHOSEN = "chosen"
    """The rest of the audience gets the winner."""


class ChosenBy(StrEnum):
    """Chooser of a winner."""

    RULE = "rule"
    PERSON = "person"


class VariantTally(Struct, frozen=True):
    """Results of the sent messages of a variant."""

    key: str
    texts: int
    visited: int
    stopped: int


def choose_winner(tallies: Sequence[VariantTally], measure: WinnerMeasure) -> str:
    """Return the best variant by the measure, then by the other, then by letter.

    A variant without recipients loses to any variant that was sent.
    """

    def order(tally: VariantTally) -> tuple[float, float, float, str]:
        visits, stops = -tally.visited / max(tally.texts, 1), tally.stopped / max(tally.texts, 1)
        shares = (visits, stops) if measure is WinnerMeasure.VISITS else (stops, visits)
        return (float(tally.texts == 0), *shares, tally.key)

    return min(tallies, key=order).key


def is_in_sample(campaign_id: int, number_key: str, sample_percent: int) -> bool:
    """Return True if a recipient is in the sample, by number and campaign alone."""
    digest = blake2b(f"sample:{campaign_id}:{number_key}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) % 100 < sample_percent
