"""The JSON Schema (2020-12) of a timeline, generated from the validator's own checks and the vocabulary.

It refuses nothing that the validator takes. What depends on several events (order, copies, the end of a journey, check
digits) only the validator can tell.
"""

from typing import Any

from haulier.contexts.otep.validation.rules.record_checks import SUBJECT_IDENTIFIERS
from haulier.contexts.otep.validation.rules.validator import TIMELINE_CHECK
from haulier.contexts.otep.validation.rules.value_checks import JsonSchema
from haulier.contexts.otep.vocabulary.rules import (
    CODE_ALIASES,
    EXPERIMENTAL_PREFIX,
    PHASE_RANK,
    PROFILES,
    STATUS_CODES,
    UNIVERSAL_PROFILE,
    code_address,
    phase_address,
    resolve_status,
)

JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def timeline_schema(address: str) -> JsonSchema:
    """The schema of a timeline that is published at an address. One event alone is described by its `TrackingEvent`."""
    records = {name: dict(schema) for name, schema in TIMELINE_CHECK.records.items()}
    timeline = records.pop("Timeline")
    records["TrackingEvent"] |= {"allOf": [_phase_schema(phase) for phase in PHASE_RANK]}
    records["Subject"] |= {"anyOf": [{"required": [identifier]} for identifier in SUBJECT_IDENTIFIERS]}
    own_subjects = {"properties": {"events": {"items": {"required": ["subject"]}, "minItems": 1}}}
    timeline["anyOf"] = [{"required": ["subject"]}, own_subjects]
    return {
        "$schema": JSON_SCHEMA_DIALECT,
        "$id": address,
        "title": "OTEP timeline",
        **timeline,
        "allOf": [_profile_codes_schema(profile) for profile in PROFILES],
        "$defs": {**records, **{f"{profile}_code": _code_schema(profile) for profile in PROFILES}},
    }


def _code_schema(profile: str) -> JsonSchema:
    """The status codes of a profile with their aliases, and any that is not registered yet."""
    codes = [word for word in (*(row.code for row in STATUS_CODES), *CODE_ALIASES) if resolve_status(word, profile)]
    addresses = [code_address(row.code, profile) for row in STATUS_CODES if resolve_status(row.code, profile)]
    experimental = f"^({'|'.join(code_address('', name) for name in PROFILES)})?{EXPERIMENTAL_PREFIX}[\\s\\S]"
    return {"anyOf": [{"enum": [*codes, *addresses]}, {"type": "string", "pattern": experimental}]}


def _profile_codes_schema(profile: str) -> JsonSchema:
    """Events of a timeline have codes of its profile; a timeline without one has the universal profile."""
    event: JsonSchema = {"properties": {"status_code": {"$ref": f"#/$defs/{profile}_code"}}}
    condition: JsonSchema = {"properties": {"profile": {"const": profile}}}
    return {
        "if": condition if profile == UNIVERSAL_PROFILE else {**condition, "required": ["profile"]},
        "then": {
            "properties": {
                "events": {"items": event},
                "voided": {"items": {"properties": {"event": event}}},
            }
        },
    }


def _phase_schema(phase: str) -> JsonSchema:
    """A code that has a phase is told with no other."""
    codes = [word for word in (*(row.code for row in STATUS_CODES), *CODE_ALIASES) if _belongs_to_phase(word, phase)]
    addresses = [code_address(row.code, row.profile) for row in STATUS_CODES if row.phase == phase]
    condition: dict[str, Any] = {"properties": {"status_code": {"enum": [*codes, *addresses]}}}
    condition["required"] = ["status_code"]
    return {"if": condition, "then": {"properties": {"phase": {"enum": [phase, phase_address(phase)]}}}}


def _belongs_to_phase(word: str, phase: str) -> bool:
    return any(row.phase == phase for row in STATUS_CODES if row.code == CODE_ALIASES.get(word, word))
