"""Page of a locker screen without sign-in: screens have a key, users codes.

The server sends the available actions as tiles; each leads to a step of the page.
"""

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.application import Application
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_anybody, find_operation, script_words

SCREEN_OPERATIONS = frozenset(
    {
        "show_locker_screen",
        "enter_locker_code",
        "list_screen_goods",
        "get_shop_picture",
        "buy_at_locker_screen",
        "get_linked_shop_purchase",
        "cancel_linked_shop_purchase",
    }
)
"""Operations for the page's script. Calls carry the screen key or a link; cookies are ignored."""


class KioskTile(Struct, frozen=True):
    """An action on a screen.

    `step` is the step that its tile opens, such as entering a code.
    """

    offer: str
    step: str = "code"


KIOSK_TILES = (KioskTile("collect"), KioskTile("drop_off"), KioskTile("buy", "goods"), KioskTile("courier"))
"""In their order. A screen shows those that its site offers; messages are `kiosk.tile_{offer}` and `kiosk.how_{offer}`."""


def module_routes(_: Application) -> list[BaseRoute]:
    """`/kiosk` and the calls of its script."""
    return [
        Route("/kiosk", kiosk_page, methods=["GET"]),
        Route("/kiosk/ask/{operation}", call_screen_operation, methods=["POST"]),
    ]


async def kiosk_page(request: Request) -> Response:
    """The page; its script asks what the screen shows."""
    response = render_page(request, "kiosk.html", kiosk_tiles=KIOSK_TILES, words=script_words(request, {"": "kiosk."}))
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


async def call_screen_operation(request: Request) -> Response:
    """The answer of an operation for a screen, which shows its key in the body."""
    return await answer_anybody(request, find_operation(request, SCREEN_OPERATIONS))
