"""Colours with enough contrast (WCAG 2.2)."""

import colorsys

CONTRAST = 4.5
"""Smallest contrast of text (level AA)."""
LIGHT_GROUNDS, DARK_GROUNDS = ("#ffffff", "#efeee8"), ("#19211e", "#303b37")
"""Grounds of pages and emails in both modes, from the design system."""
WHITE, BLACK = "#ffffff", "#101614"
STEPS = 60


def readable_on(colour: str, grounds: tuple[str, ...]) -> str:
    """Return the colour, darkened or lightened until it can be read on all grounds."""
    by = -1 / STEPS if luminance(grounds[0]) > 0.5 else 1 / STEPS
    for _ in range(STEPS):
        if all(contrast(colour, ground) >= CONTRAST for ground in grounds):
            break
        colour = shade(colour, by)
    return colour


def on_colour(colour: str) -> str:
    """Return white or black, whichever reads better on a colour."""
    return max(WHITE, BLACK, key=lambda each: contrast(each, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour."""
    channels = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in _channels(colour))
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def _channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def shade(colour: str, by: float) -> str:
    """Return a colour that is lighter by a share, or darker by a negative one."""
    hue, light, saturation = colorsys.rgb_to_hls(*_channels(colour))
    shaded = colorsys.hls_to_rgb(hue, min(1, max(0, light + by)), saturation)
    return "#" + "".join(f"{round(each * 255):02x}" for each in shaded)
