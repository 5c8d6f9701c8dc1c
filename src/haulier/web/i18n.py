"""The words of the pages: which language a reader wants, and what a message says in it."""

from collections.abc import Callable

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
    """The language that the pages were switched to, else the one that the browser prefers."""
    for said in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if said in SUPPORTED_LANGUAGES:
            return said
    return negotiate_language(request.headers.get("accept-language"))


def remember_language(request: Request, response: Response, *, https: bool) -> None:
    """Remember a language that the reader switched to, for the pages that follow."""
    said = request.query_params.get("lang")
    if said in SUPPORTED_LANGUAGES and request.cookies.get(LANGUAGE_COOKIE) != said:
        response.set_cookie(LANGUAGE_COOKIE, said, max_age=ONE_YEAR_S, samesite="lax", httponly=True, secure=https)


def translator(app: Application, language: str) -> Translate:
    """What templates call for a message: `say("page.skip")`."""

    def say(id: str, /, **params: object) -> str:
        return app.catalogues.translate(language, id, **params)

    return say


def page_translator(request: Request) -> Translate:
    """The words in the language of a request."""
    app: Application = request.app.state.app
    return translator(app, page_language(request))
