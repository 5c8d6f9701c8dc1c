"""Comparison of documented and real output; times, ids and secrets may differ."""

import json
import re
from typing import Any

MORE = "…"
"""In a shown document: a key of this name, or a last item, stands for more of the same; within a text, for any characters."""

VARIES = {
    r"HL[0-9A-Z]{13}": "NUMBER",
    r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)": "TIME",
    r"\b[0-9a-f]{24}\b": "REQUEST-ID",
    r"\b\d+\.\d+ s\b": "DURATION",
    r"\b\d+:\d\d:\d\d\b": "DURATION",
}


def fault(shown: str, printed: str) -> str | None:
    """Return how the documented output differs from the printed one, or None."""
    if not shown.lstrip().startswith(("{", "[")):
        ours, theirs = _lines(shown), _lines(printed)
        return None if _line_up(ours, theirs) else f"shown:\n{shown}\nprinted:\n{printed}"
    try:
        real = json.loads(printed)
    except ValueError:
        return f"not JSON: {printed}"
    return _differ(json.loads(shown), real, "")


def _lines(text: str) -> list[str]:
    return [" ".join(_settled(line).split()) for line in text.splitlines() if line.strip()]


def _line_up(shown: list[str], printed: list[str]) -> bool:
    """Check that documented lines were printed in order, with gaps only at `…`."""
    if MORE not in shown:
        return shown == printed
    pattern = "\n".join(".*" if line == MORE else re.escape(line) for line in shown)
    return re.fullmatch(pattern, "\n".join(printed), re.DOTALL) is not None


def _settled(text: str) -> str:
    for pattern, name in VARIES.items():
        text = re.sub(pattern, name, text)
    return text


def _differ(shown: Any, real: Any, at: str) -> str | None:
    if isinstance(shown, dict) and isinstance(real, dict):
        return _keys_differ(shown, real, at)
    if isinstance(shown, list) and isinstance(real, list):
        more = bool(shown) and shown[-1] == MORE
        asked = shown[:-1] if more else shown
        if len(asked) > len(real) or (not more and len(asked) != len(real)):
            return f"{at}: {len(asked)} items are shown, {len(real)} came"
        found = (_differ(one, other, f"{at}[{n}]") for n, (one, other) in enumerate(zip(asked, real, strict=False)))
        return next(filter(None, found), None)
    if isinstance(shown, str) and isinstance(real, str):
        pattern = ".*".join(re.escape(part) for part in _settled(shown).split(MORE))
        return None if re.fullmatch(pattern, _settled(real), re.DOTALL) else f"{at}: {shown!r} is shown, {real!r} came"
    return None if shown == real else f"{at}: {shown!r} is shown, {real!r} came"


def _keys_differ(shown: dict[str, Any], real: dict[str, Any], at: str) -> str | None:
    asked = {key: value for key, value in shown.items() if key != MORE}
    if MORE not in shown and asked.keys() != real.keys():
        return f"{at}: the keys {sorted(asked.keys() ^ real.keys())} differ"
    if missing := asked.keys() - real.keys():
        return f"{at}: {sorted(missing)} did not come"
    return next(filter(None, (_differ(value, real[key], f"{at}.{key}") for key, value in asked.items())), None)
