"""The JSON Schema (2020-12) of a timeline, generated from the validator's own checks and the vocabulary.

It refuses nothing that the validator takes. What depends on several events (order, copies, the end of a journey, check
digits) only the validator can tell.
"""

from typing import Any

from haulier.contexts.tracking.otep.rules.checks import Schema
from haulier.contexts.tracking.otep.rules.journeys import IDENTIFIERS
from haulier.contexts.tracking.otep.rules.shapes import TIMELINE
from haulier.contexts.tracking.otep.vocabulary import ALIASES, EXPERIMENTAL, PROFILES, RANK, TABLE, UNIVERSAL, resolve

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def timeline_schema(address: str) -> Schema:
    """The schema of a timeline that is published at an address."""
    records = {name: dict(schema) for name, schema in TIMELINE.records.items()}
    timeline = records.pop("Timeline")
    records["Event"] |= {"allOf": [_phase_of(phase) for phase in RANK]}
    records["Subject"] |= {"anyOf": [{"required": [identifier]} for identifier in IDENTIFIERS]}
    return {
        "$schema": DIALECT,
        "$id": address,
        "title": "OTEP timeline",
        **timeline,
        "allOf": [_codes_of(profile) for profile in PROFILES],
        "$defs": {**records, **{f"{profile}_code": _code(profile) for profile in PROFILES}},
    }


def _code(profile: str) -> Schema:
    """The status codes of a profile with their aliases, and any that is not registered yet."""
    words = [word for word in (*(row.code for row in TABLE), *ALIASES) if resolve(word, profile)]
    return {"anyOf": [{"enum": words}, {"type": "string", "pattern": f"^{EXPERIMENTAL}[\\s\\S]"}]}


def _codes_of(profile: str) -> Schema:
    """Events of a timeline have codes of its profile; a timeline without one has the universal profile."""
    event: Schema = {"properties": {"status_code": {"$ref": f"#/$defs/{profile}_code"}}}
    told: Schema = {"properties": {"profile": {"const": profile}}}
    return {
        "if": told if profile == UNIVERSAL else {**told, "required": ["profile"]},
        "then": {
            "properties": {
                "events": {"items": event},
                "voided": {"items": {"properties": {"event": event}}},
            }
        },
    }


def _phase_of(phase: str) -> Schema:
    """A code that has a phase is told with no other."""
    words = [word for word in (*(row.code for row in TABLE), *ALIASES) if _belongs(word, phase)]
    told: dict[str, Any] = {"properties": {"status_code": {"enum": words}}, "required": ["status_code"]}
    return {"if": told, "then": {"properties": {"phase": {"const": phase}}}}


def _belongs(word: str, phase: str) -> bool:
    return any(row.phase == phase for row in TABLE if row.code == ALIASES.get(word, word))
