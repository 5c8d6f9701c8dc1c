"""Colours of a business for the tracking page, with enough contrast in both modes."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.values.colours import (
    BLACK,
    CONTRAST,
    DARK_GROUNDS,
    LIGHT_GROUNDS,
    WHITE,
    contrast,
    readable_on,
    shade,
)

FOR_EVER = "public, max-age=31536000, immutable"


def brand_colour_routes() -> list[BaseRoute]:
    """Return the route of `/track/colour/{colour}.css`."""
    return [Route("/track/colour/{colour}.css", serve_colours)]


async def serve_colours(request: Request) -> Response:
    """Answer with the tokens of a colour.

    The address holds the colour, so the answer is cached for good.
    """
    digits = request.path_params["colour"]
    if len(digits) != 6 or not set(digits) <= set("0123456789abcdef"):
        return Response(status_code=404)
    return Response(colour_style(f"#{digits}"), media_type="text/css", headers={"Cache-Control": FOR_EVER})


def colour_style(colour: str) -> str:
    """Return the style sheet that replaces the accent colour."""
    light, dark = readable_on(colour, LIGHT_GROUNDS), readable_on(colour, DARK_GROUNDS)
    return (
        f":root{{{_tokens(light, readable_on(shade(light, -0.08), LIGHT_GROUNDS))}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{_tokens(dark, shade(dark, 0.08))}}}}}"
    )


def _tokens(brand: str, strong: str) -> str:
    on_brand = WHITE if contrast(WHITE, brand) >= CONTRAST else BLACK
    wash = "color-mix(in srgb,var(--brand) 14%,var(--sheet))"
    return f"--brand:{brand};--brand-strong:{strong};--on-brand:{on_brand};--brand-wash:{wash}"
