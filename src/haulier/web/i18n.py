"""The language of a page, and its messages in that language."""

from collections.abc import Callable
from functools import cache

from babel import Locale
from starlette.requests import Request
from starlette.responses import Response

from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, negotiate_language

LANGUAGE_COOKIE = "haulier_language"
ONE_YEAR_S = 31_536_000
NATIVE_LANGUAGE_NAMES = {
    "en": "English",
    "fr": "Français",
    "de": "Deutsch",
    "es": "Español",
    "zh-Hans": "简体中文",
    "zh-Hant": "繁體中文",
}
"""The languages by the names that their speakers look for."""
Translate = Callable[..., str]


def page_language(request: Request) -> str:
    """Return the selected page language, or the preferred language of the browser."""
    for language in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if language in SUPPORTED_LANGUAGES:
            return language
    return negotiate_language(request.headers.get("accept-language"))


@cache
def text_direction(language: str) -> str:
    """Return the text direction as HTML `dir`: `ltr` or `rtl` (Unicode CLDR)."""
    return Locale.parse(language, sep="-").text_direction


def save_language(request: Request, response: Response, *, https: bool) -> None:
    """Remember a language that the reader switched to, for the pages that follow."""
    language = request.query_params.get("lang")
    if language in SUPPORTED_LANGUAGES and request.cookies.get(LANGUAGE_COOKIE) != language:
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=ONE_YEAR_S, samesite="lax", httponly=True, secure=https)


def translator(app: Application, language: str) -> Translate:
    """Return the message function of templates: `say("page.skip")`."""

    def say(id: str, /, **params: object) -> str:
        return app.catalogues.translate(language, id, **params)

    return say


def page_translator(request: Request) -> Translate:
    """The translator for the language of a request."""
    app: Application = request.app.state.app
    return translator(app, page_language(request))
