"""JSON Schema (2020-12) of a timeline, generated from checks and vocabulary.

It rejects nothing that the validator accepts. Rules across events (order, copies, the end of a journey, check digits)
are checked by the validator only.
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
    """Return the schema of a timeline published at an address.

    A single event is described by its `TrackingEvent`.
    """
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
    """Return the schema of a profile's status codes, aliases and unregistered codes."""
    codes = [word for word in (*(row.code for row in STATUS_CODES), *CODE_ALIASES) if resolve_status(word, profile)]
    addresses = [code_address(row.code, profile) for row in STATUS_CODES if resolve_status(row.code, profile)]
    experimental = f"^({'|'.join(code_address('', name) for name in PROFILES)})?{EXPERIMENTAL_PREFIX}[\\s\\S]"
    return {"anyOf": [{"enum": [*codes, *addresses]}, {"type": "string", "pattern": experimental}]}


def _profile_codes_schema(profile: str) -> JsonSchema:
    """Return the schema of codes by profile; without one, the universal profile."""
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
    """Return the schema that binds a code to its phase."""
    codes = [word for word in (*(row.code for row in STATUS_CODES), *CODE_ALIASES) if _belongs_to_phase(word, phase)]
    addresses = [code_address(row.code, row.profile) for row in STATUS_CODES if row.phase == phase]
    condition: dict[str, Any] = {"properties": {"status_code": {"enum": [*codes, *addresses]}}}
    condition["required"] = ["status_code"]
    return {"if": condition, "then": {"properties": {"phase": {"enum": [phase, phase_address(phase)]}}}}


def _belongs_to_phase(word: str, phase: str) -> bool:
    return any(row.phase == phase for row in STATUS_CODES if row.code == CODE_ALIASES.get(word, word))
