"""Strategies for posted timelines: any JSON, damaged timelines, and valid ones."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from tests.contexts.otep.posted_documents import posted_event, posted_timeline

from haulier.contexts.otep.vocabulary.rules import (
    INCIDENT_REASONS,
    PROFILES,
    SOURCE_TYPES,
    STATUS_CODES,
    UNIVERSAL_PROFILE,
)

_PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["delivered", "x-odd", "transit", "2026-06-10T12:00:00Z", "carrier", "locker", "0.1.0"])
)
ANY_JSON = st.recursive(
    _PLAIN,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.sampled_from(["subject", "events"]), inner, max_size=4)
    ),
    max_leaves=12,
)

_SAID = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20).filter(str.strip)
_HOURS = st.integers(0, 400).map(lambda quarter: quarter / 4)


def _codes(profile: str) -> st.SearchStrategy[str]:
    return st.sampled_from([row.code for row in STATUS_CODES if row.profile in (UNIVERSAL_PROFILE, profile)])


@st.composite
def _make_event(draw: st.DrawFn, profile: str) -> dict[str, Any]:
    optional = {
        "recorded_at": st.just("2027-01-01T00:00:00+05:30"),
        "event_id": _SAID,
        "description": _SAID,
        "location": st.fixed_dictionaries(
            {"city": _SAID, "country": st.sampled_from(["CA", "DE"])},
            optional={"postal_code": _SAID, "unlocode": st.just("CATOR"), "gln": st.just("4012345000009")},
        ),
        "incident_reason": st.fixed_dictionaries({"code": st.sampled_from(INCIDENT_REASONS)}, optional={"note": _SAID}),
        "actor": st.fixed_dictionaries({"type": _SAID}, optional={"id": _SAID}),
        "raw_status": _SAID,
        "extensions": st.dictionaries(_SAID, st.none() | st.booleans() | st.integers(-9, 9) | _SAID, max_size=2),
    }
    source = st.fixed_dictionaries({"type": st.sampled_from(SOURCE_TYPES)}, optional={"name": _SAID})
    more = draw(st.fixed_dictionaries({"source": source}, optional=optional))
    return posted_event(draw(_codes(profile) | _SAID.map("x-".__add__)), draw(_HOURS), **more)


@st.composite
def decent_timelines(draw: st.DrawFn) -> dict[str, Any]:
    """Timelines with valid values, but possibly unusual journeys.

    They may contain steps back, copies, or events after the end.
    """
    profile = draw(st.sampled_from(PROFILES))
    events = draw(st.lists(_make_event(profile), min_size=1, max_size=6))
    told_profile = {} if profile == UNIVERSAL_PROFILE and draw(st.booleans()) else {"profile": profile}
    return posted_timeline(*events, **told_profile)


@st.composite
def broken_timelines(draw: st.DrawFn) -> Any:
    """A decent timeline in which any JSON stands somewhere."""
    document = deepcopy(draw(decent_timelines()))
    holder, key = draw(st.sampled_from(list(_places(document))))
    holder[key] = draw(ANY_JSON)
    return document


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    keys = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
    for key in keys:
        yield part, key
        yield from _places(part[key])
