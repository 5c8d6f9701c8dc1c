"""The words of the pages: which language a reader wants, and what a message says in it."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from haulier.kernel.house import House
from haulier.kernel.languages import SUPPORTED, negotiate

COOKIE = "haulier_language"
ONE_YEAR_S = 31_536_000
NATIVE = {
    "en": "English",
    "fr": "Français",
    "de": "Deutsch",
    "es": "Español",
    "zh-Hans": "简体中文",
    "zh-Hant": "繁體中文",
}
"""The languages by the names that their speakers look for."""
Say = Callable[..., str]


def language_of(request: Request) -> str:
    """The language that the pages were switched to, else the one that the browser prefers."""
    for said in (request.query_params.get("lang"), request.cookies.get(COOKIE)):
        if said in SUPPORTED:
            return said
    return negotiate(request.headers.get("accept-language"))


def keep_choice(request: Request, response: Response, *, https: bool) -> None:
    """Remember a language that the reader switched to, for the pages that follow."""
    said = request.query_params.get("lang")
    if said in SUPPORTED and request.cookies.get(COOKIE) != said:
        response.set_cookie(COOKIE, said, max_age=ONE_YEAR_S, samesite="lax", httponly=True, secure=https)


def speaker(house: House, language: str) -> Say:
    """What templates call for a message: `say("page.skip")`."""

    def say(id: str, /, **params: object) -> str:
        return house.catalogues.say(language, id, **params)

    return say


def speaker_of(request: Request) -> Say:
    """The words in the language of a request."""
    house: House = request.app.state.house
    return speaker(house, language_of(request))
