"""Words that people answer texts with: a whole answer that is one of them counts, in any of the six languages.

English words are those of the CTIA; carriers honour them whatever the language of the text was.
"""

import re
import unicodedata
from enum import StrEnum


class ReplyMeaning(StrEnum):
    """What an answer means."""

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
    """What an answer means. A single word counts, also with marks around it; within a sentence a person decides."""
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
