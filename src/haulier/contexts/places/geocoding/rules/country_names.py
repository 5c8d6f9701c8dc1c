"""Countries as people write them."""

from collections.abc import Mapping
from functools import cache

from babel import Locale
from babel.core import get_global

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.values.words import fold_words


def find_country(text: str) -> str | None:
    """The country (ISO 3166-1 alpha-2) of a name in one of our languages or of a code; None where it is none.

    The first question takes a tenth of a second, since it reads the names.
    """
    return _names().get(_key(text))


def _key(text: str) -> str:
    return " ".join(fold_words(text))


@cache
def _names() -> Mapping[str, str]:
    codes = {str(code) for code in get_global("territory_currencies") if len(str(code)) == 2}
    longer = get_global("territory_aliases")
    names = {_key(str(alias)): to[0] for alias, to in longer.items() if len(to) == 1 and to[0] in codes}
    for language in SUPPORTED_LANGUAGES:
        territories = Locale.parse(language, sep="-").territories
        names |= {_key(territories[code]): code for code in codes if code in territories}
    return names | {_key(code): code for code in codes}
