"""Countries as people write them."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from babel import Locale
from babel.core import get_global

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.values.countries import country_codes
from haulier.kernel.values.words import fold_words

_OTHER_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "AE": ("UAE",),
        "CN": ("People's Republic of China", "PRC", "中华人民共和国", "中華人民共和國", "China mainland"),
        "CZ": ("Czech Republic", "Tschechische Republik", "República Checa", "République tchèque"),
        "GB": (
            *(
                "UK",
                "Great Britain",
                "England",
                "Scotland",
                "Wales",
                "Northern Ireland",
                "Großbritannien",
                "Grande-Bretagne",
            ),
            *("Gran Bretaña", "Angleterre", "Inglaterra"),
        ),
        "HK": ("Hong Kong", "Hongkong", "香港"),
        "IE": ("Republic of Ireland", "Eire"),
        "KR": ("Republic of Korea", "Korea, Republic of", "Korea"),
        "MO": ("Macau", "Macao", "澳门", "澳門"),
        "NL": ("Holland", "The Netherlands", "Hollande", "Holanda"),
        "RU": ("Russian Federation",),
        "TR": ("Turkey",),
        "TW": ("Taiwan, Province of China", "Taiwan (R.O.C.)", "中華民國"),
        "US": (
            *("United States of America", "U.S.", "America", "Vereinigte Staaten von Amerika", "États-Unis d'Amérique"),
            *("Estados Unidos de América", "EE. UU.", "美利坚合众国"),
        ),
        "VN": ("Viet Nam",),
    }
)
"""Common names that the Unicode CLDR leaves out."""


def find_country(text: str) -> str | None:
    """The country (ISO 3166-1 alpha-2) of a name in one of our languages or of a code; None where it is none.

    The first question takes a tenth of a second, since it reads the names.
    """
    names = _names()
    return names.get(_key(text)) or names.get(_key(text.replace(".", "")))


def country_code(text: str) -> str:
    """Return the code of a country written in words or as a longer code; other texts in capitals, to be refused as they are."""
    return find_country(text) or text.upper()


def _key(text: str) -> str:
    return " ".join(fold_words(text))


@cache
def _names() -> Mapping[str, str]:
    codes = country_codes()
    longer = get_global("territory_aliases")
    names = {_key(str(alias)): to[0] for alias, to in longer.items() if len(to) == 1 and to[0] in codes}
    for language in SUPPORTED_LANGUAGES:
        territories = Locale.parse(language, sep="-").territories
        names |= {_key(territories[code]): code for code in codes if code in territories}
    names |= {_key(name): code for code, others in _OTHER_NAMES.items() for name in others}
    return names | {_key(code): code for code in codes}
