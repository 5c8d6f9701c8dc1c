"""Code pages and alphabets of languages, used to detect encodings."""

from collections.abc import Mapping
from types import MappingProxyType

LATIN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        language: frozenset(letters)
        for language, letters in {
            "en": "àâäçéèêëïîñöôóüáíú",
            "fr": "àâæçéèêëîïôœùûüÿ",
            "de": "äöüßéàè",
            "es": "áéíñóúüçàèòï",
            "it": "àèéìîòóù",
            "pt": "àáâãçéêíóôõúü",
            "nl": "áéèëïóöü",
            "sv": "åäöéü",
            "fi": "åäöéšž",
            "da": "æøåéö",
            "nb": "æøåéòö",
            "no": "æøåéòö",
            "is": "áðéíóúýþæö",
            "pl": "ąćęłńóśźż",
            "cs": "áčďéěíňóřšťúůýž",
            "sk": "áäčďéíĺľňóôŕšťúýž",
            "hu": "áéíóöőúüű",
            "hr": "čćđšž",
            "bs": "čćđšž",
            "sl": "čšžćđ",
            "ro": "ăâîşţșț",
            "sq": "çë",
            "tr": "çğıöşüâîûİ",
            "lt": "ąčęėįšųūž",
            "lv": "āčēģīķļņšūž",
            "et": "äõöüšž",
        }.items()
    }
)
"""Letters beyond a to z in languages with Latin script."""

OTHER_SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
        "uk": "оанівитрескдлмупязьбгчйхжшюцїєфщґ",
        "bg": "аиоентрсвлкдпмзягъубчцйщхжшюфь",
        "be": "анаіоеілсртудквмзпяцыбгйўчшжхьюёэфʼ",
        "sr": "аоиенрсјтуклдвмпгзбчњцжљхшћђфџ",
        "mk": "аоиентрсвлкдпмузјгбчшцжњфхќѓљџѕ",
        "el": "αοιετσνηυρπκμλςδγόίάωθέήχύφβώξζψϊϋΐΰ",
        "he": "יהולאתרבשמנדקםעפגחטזכסןצךףץ",
        "ar": "اليمنرتبودعهةسفكحقأجىشصطخإضذزثءغئظؤآ",
        "fa": "ایرندمهتوسبلشکزفگعخقجآپحصطچضغذثئظژيك",
        "th": "านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซธณภศฐญษฉฎฏฝฟอฮฆฒ",
    }
)
"""Letters of languages in other scripts, by frequency."""

_WESTERN = ("en", "fr", "de", "es", "it", "pt", "nl", "sv", "fi", "da", "nb", "no", "is")
_CENTRAL = ("pl", "cs", "sk", "hu", "hr", "bs", "sl", "ro", "sq")
ENCODINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cp1254": ("tr",),
        "cp1252": _WESTERN,
        "cp1250": _CENTRAL,
        "iso8859-2": _CENTRAL,
        "cp1251": ("ru", "uk", "bg", "be", "sr", "mk"),
        "cp949": ("ko",),
        "gb18030": ("zh",),
        "cp950": ("zh-Hant",),
        "cp932": ("ja",),
        "cp1253": ("el",),
        "iso8859-7": ("el",),
        "cp1256": ("ar", "fa"),
        "iso8859-6": ("ar",),
        "cp1255": ("he",),
        "iso8859-8": ("he",),
        "cp1257": ("lt", "lv", "et"),
        "cp874": ("th",),
        "koi8-r": ("ru",),
        "koi8-u": ("uk",),
        "cp866": ("ru",),
        "mac-roman": _WESTERN,
        "cp850": _WESTERN,
        "cp852": _CENTRAL,
    }
)
"""Code pages by priority, which decides between equal matches.

Turkish precedes Western, which has Icelandic letters in the same places. Korean precedes Chinese, which also matches
Korean text.
"""
