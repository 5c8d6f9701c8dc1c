"""The conformance validator: everything that is wrong with a posted timeline at once, and the level that it reaches.

Level 1: universal codes, phases and valid transitions. Level 2: also codes of the timeline's own profile (those of `parcel`
are the universal ones) and at least one projection to an external standard, which only the sender can tell.
"""

from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.otep.rules import journeys
from haulier.contexts.tracking.otep.rules.findings import Finding, Severity, found
from haulier.contexts.tracking.otep.rules.parsing import parse
from haulier.contexts.tracking.otep.rules.shapes import EVENTS_MAX, TIMELINE
from haulier.contexts.tracking.otep.vocabulary import PROFILES, UNIVERSAL, resolve

__all__ = ["Report", "parse", "validate"]


class Report(Struct, frozen=True, kw_only=True):
    """What the validator found. `level` is 0, 1 or 2; `shortfalls` are notes that say why it is not higher."""

    level: int
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    shortfalls: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether the timeline can be taken in."""
        return not self.errors


def validate(document: Any, *, projections: Collection[str] = ()) -> Report:
    """Every error and warning of a parsed JSON document, whatever it is: first its shape, then its codes, then its journey.

    `projections` names the formats of external standards that the sender also serves. Never raises.
    """
    known = document if isinstance(document, dict) else {}
    profile, events = _profile(known), _items(known, "events")
    told = journeys.told(events, profile)
    kept, copies = journeys.first_of_each(told)
    ordered = journeys.in_time(kept)
    findings = [
        *TIMELINE(document, "$"),
        *_parts(known, profile),
        *journeys.clocks(told),
        *copies,
        *journeys.steps(ordered),
        *(journeys.summary(known, ordered, profile) if len(told) == len(events) else ()),
    ]
    shortfalls = tuple(_below_1(findings, kept, profile))
    level = 0
    if not shortfalls:
        shortfalls = tuple(_below_2(kept, profile, projections))
        level = 1 if shortfalls else 2
    return Report(
        level=level,
        errors=tuple(each for each in findings if each.severity is Severity.ERROR),
        warnings=tuple(each for each in findings if each.severity is Severity.WARNING),
        shortfalls=shortfalls,
    )


def _parts(document: dict[str, Any], profile: str) -> Iterator[Finding]:
    """What one part of the document shows to be wrong with another."""
    subject = document.get("subject")
    if isinstance(subject, dict) and all(subject.get(name) is None for name in journeys.IDENTIFIERS):
        yield found("$.subject", "no_identifier")
    for path, event in _everything(document):
        if isinstance(event, dict):
            yield from journeys.codes(event, path, profile)
            yield from _position(event, path)


def _profile(document: dict[str, Any]) -> str:
    profile = document.get("profile")
    return profile if isinstance(profile, str) and profile in PROFILES else UNIVERSAL


def _items(document: dict[str, Any], name: str) -> list[Any]:
    items = document.get(name)
    return items[:EVENTS_MAX] if isinstance(items, list) else []


def _everything(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The events of a timeline and those that were taken back, each with its path."""
    for index, event in enumerate(_items(document, "events")):
        yield f"$.events[{index}]", event
    for index, voided in enumerate(_items(document, "voided")):
        if isinstance(voided, dict):
            yield f"$.voided[{index}].event", voided.get("event")


def _position(event: dict[str, Any], path: str) -> Iterator[Finding]:
    location = event.get("location")
    if isinstance(location, dict) and ("lat" in location) is not ("lng" in location):
        yield found(f"{path}.location", "half_position")


def _below_1(findings: list[Finding], kept: list[journeys.Told], profile: str) -> Iterator[Finding]:
    if any(each.severity is Severity.ERROR for each in findings):
        yield found("$", "has_errors")
        return
    if not kept:
        yield found("$.events", "no_events")
    elif not any(resolve(each.row.code, profile) for each in kept):
        yield found("$.events", "no_registered_code")
    if any(each.code == "step_back" for each in findings):
        yield found("$.events", "invalid_transitions")


def _below_2(kept: list[journeys.Told], profile: str, projections: Collection[str]) -> Iterator[Finding]:
    if not any(row.profile == profile for each in kept if (row := resolve(each.row.code, profile))):
        yield found("$.events", "no_profile_code", profile=profile)
    if not any(name != "otep" for name in projections):
        yield found("$", "no_projection")
