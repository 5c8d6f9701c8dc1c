"""Answers about the protocol from rows.

`say(message id, **parameters)` gives a message in a reader's language.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.projections.rules import read_mapping_table
from haulier.contexts.otep.protocol.contract import (
    EXAMPLE_TIMELINE,
    FINDINGS_LISTED_MAX,
    CodebookEntry,
    CodebookPhase,
    CodebookStatus,
    ConformanceReport,
    OtepCodebook,
    ValidationFinding,
)
from haulier.contexts.otep.timeline.contract import OTEP_VERSION
from haulier.contexts.otep.validation.rules.validator import ValidationReport
from haulier.contexts.otep.validation.rules.value_checks import FINDING_RULES, Finding
from haulier.contexts.otep.vocabulary.rules import (
    CODE_ALIASES,
    EXPERIMENTAL_PREFIX,
    GENERIC_CODES,
    INCIDENT_REASONS,
    PHASE_RANK,
    PROFILES,
    SOURCE_TYPES,
    STATUS_CODES,
    UNIVERSAL_PROFILE,
    StatusCode,
    code_address,
    phase_address,
)
from haulier.contexts.otep.vocabulary.serializers import state_diagram
from haulier.kernel.operations.declaration import Rest
from haulier.kernel.operations.registry import Registry

MappingSheet = dict[str, Any]
_PIVOT_SHEET = read_mapping_table("pivots")


class CodeTable(Struct, frozen=True, kw_only=True):
    """Table of a format: each row has codes and their common target cells."""

    name: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    reasons: tuple[tuple[str, str], ...]


def code_tables() -> Iterator[CodeTable]:
    """Yield the tables of all formats. A format without one uses the code itself."""
    for name, format in FORMATS.items():
        sheet = read_mapping_table(name)
        columns = tuple(dict.fromkeys(column for row in _target_rows(sheet) for column in row))
        yield CodeTable(
            name=name,
            title=format.title,
            source=format.source,
            columns=columns,
            rows=tuple(_table_rows(sheet, columns)),
            reasons=tuple(_reason_rows(sheet.get("reasons", {}))),
        )


def _target_rows(sheet: MappingSheet) -> Iterator[MappingSheet]:
    yield from sheet.get("pivots", {}).values()
    yield from sheet.get("codes", {}).values()


def _table_rows(sheet: MappingSheet, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if "pivots" not in sheet:
        return
    alike: dict[tuple[str, ...], list[str]] = {}
    for status in STATUS_CODES:
        target = _target_row(sheet, status)
        alike.setdefault(tuple(_table_cell(target.get(column, "")) for column in columns), []).append(
            f"`{status.code}`"
        )
    for cells, codes in alike.items():
        yield ", ".join(codes), *cells


def _target_row(sheet: MappingSheet, status: StatusCode) -> MappingSheet:
    """Return the row of a code as `MappingTable` finds it: by code or pivot."""
    finer = sheet.get("codes", {}).get(status.code)
    return finer or sheet["pivots"][_PIVOT_SHEET["codes"].get(status.code) or _PIVOT_SHEET["phases"][status.phase]]


def _reason_rows(reasons: MappingSheet, within: str = "") -> Iterator[tuple[str, str]]:
    """Yield reasons and their targets; some formats nest them in their own words."""
    for name, target in reasons.items():
        if isinstance(target, dict) and all(isinstance(part, dict) for part in target.values()):
            yield from _reason_rows(target, f" (with {name})")
        else:
            yield f"`{name}`{within}", _table_cell(target)


def _table_cell(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else ""
        case dict():
            return ", ".join(map(_table_cell, value.values()))
        case list():
            return ", ".join(map(_table_cell, value))
        case "":
            return ""
        case _:
            return f"`{value}`"


SayMessage = Callable[..., str]


def localize_report(report: ValidationReport, say: SayMessage) -> ConformanceReport:
    """Return the validator's findings in words."""
    return ConformanceReport(
        valid=report.valid,
        level=report.level,
        error_count=len(report.errors),
        warning_count=len(report.warnings),
        errors=[localize_finding(finding, say) for finding in report.errors[:FINDINGS_LISTED_MAX]],
        warnings=[localize_finding(finding, say) for finding in report.warnings[:FINDINGS_LISTED_MAX]],
        shortfalls=[localize_finding(finding, say) for finding in report.shortfalls],
    )


def localize_finding(finding: Finding, say: SayMessage) -> ValidationFinding:
    """One finding in words."""
    return ValidationFinding(
        path=finding.path,
        code=finding.code.upper(),
        message=say(f"otep.validate.{finding.code}", **finding.params),
        hint=say(f"otep.hint.{finding.hint_code}", **finding.params) if finding.hint_code else UNSET,
    )


def localize_codebook(say: SayMessage) -> OtepCodebook:
    """Return the vocabulary in words."""
    return OtepCodebook(
        phases=[
            CodebookPhase(
                phase=phase,
                address=phase_address(phase),
                rank=rank,
                generic_code=GENERIC_CODES[phase],
                description=say(f"otep.phase.{phase}"),
            )
            for phase, rank in PHASE_RANK.items()
        ],
        profiles=list(_codebook_entries("profile", PROFILES, say)),
        status_codes=[
            CodebookStatus(
                **asdict(row), address=code_address(row.code, row.profile), description=say(f"otep.status.{row.code}")
            )
            for row in STATUS_CODES
        ],
        incident_reasons=list(_codebook_entries("reason", INCIDENT_REASONS, say)),
        source_types=list(_codebook_entries("source", SOURCE_TYPES, say)),
        aliases=dict(CODE_ALIASES),
        experimental_prefix=EXPERIMENTAL_PREFIX,
    )


def _codebook_entries(kind: str, codes: Iterable[str], say: SayMessage) -> Iterable[CodebookEntry]:
    return (CodebookEntry(code=code, description=say(f"otep.{kind}.{code}")) for code in codes)


GUIDE_SECTIONS = ("event", "codes", "journey", "levels", "formats", "addresses")
"""Headings are `otep.guide.<section>`, what stands below them `otep.guide.<section>.text`."""


def render_guide(say: SayMessage, registry: Registry, base_url: str) -> str:
    """Return the guide of a service at an address, in the language of `say`."""
    facts = {
        "event": _example_block(),
        "codes": _code_lists(say),
        "journey": _bullet_list(
            f"`{row.code}`: {say(f'otep.status.{row.code}')}" for row in STATUS_CODES if row.terminal
        ),
        "levels": [],
        "formats": _bullet_list(f"`{name}`: {format.title}" for name, format in FORMATS.items()),
        "addresses": _address_list(registry, base_url),
    }
    parts = [f"# OTEP {OTEP_VERSION}", say("otep.guide.introduction")]
    for section in GUIDE_SECTIONS:
        text = say(f"otep.guide.{section}.text", reasons=_backticked_list(INCIDENT_REASONS))
        parts += [f"## {say(f'otep.guide.{section}')}", text, *facts[section]]
    return "\n\n".join(parts) + "\n"


def _example_block() -> list[str]:
    return [f"```json\n{json.dumps(EXAMPLE_TIMELINE, indent=2)}\n```"]


def _code_lists(say: SayMessage) -> list[str]:
    return [
        *_bullet_list(_phase_lines(say)),
        *_bullet_list(_profile_lines(say)),
        *_bullet_list(f"`{word}` → `{code}`" for word, code in CODE_ALIASES.items()),
    ]


def _phase_lines(say: SayMessage) -> Iterator[str]:
    for phase in PHASE_RANK:
        codes = (row.code for row in STATUS_CODES if row.phase == phase and row.profile == UNIVERSAL_PROFILE)
        yield f"`{phase}` ({say(f'otep.phase.{phase}')}): {_backticked_list(codes)}"


def _profile_lines(say: SayMessage) -> Iterator[str]:
    for profile in PROFILES[1:]:
        codes = (row.code for row in STATUS_CODES if row.profile == profile)
        yield f"`{profile}` ({say(f'otep.profile.{profile}')}): {_backticked_list(codes)}"


def _address_list(registry: Registry, base_url: str) -> list[str]:
    bound = ((rest, operation) for rest, operation in registry.bindings(Rest) if rest.path.startswith("/v1/otep/"))
    return _bullet_list(f"`{rest.method} {base_url}/api{rest.path}`: {operation.summary}" for rest, operation in bound)


def _backticked_list(codes: Iterable[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes)


def _bullet_list(lines: Iterable[str]) -> list[str]:
    return ["\n".join(f"- {line}" for line in lines)]


INTRODUCTION_TEXT = f"""# OTEP {OTEP_VERSION}

The vocabulary of the tracking protocol, and what it becomes in other standards. Written by `make published` from the tables in
code; the service itself publishes the same at `/api/v1/otep/codebook`, `/api/v1/otep/schema.json` and `/api/v1/otep/guide`.
"""
TRANSITIONS_TEXT = """
Any code may follow a code of the same or an earlier phase. A step back to an earlier phase is in order only after
an exception or around a fresh pickup attempt. A terminal code may end the journey wherever it is; nothing may follow it.
Exceptions are drawn with a broken line.
"""


def reference_page(say: SayMessage) -> str:
    """Return the whole page; `say` gives the words of the codes."""
    book = localize_codebook(say)
    parts = [
        INTRODUCTION_TEXT,
        "## Phases",
        _markdown_table(
            ("phase", "address", "generic code", "meaning"),
            ((f"`{e.phase}`", f"`{e.address}`", f"`{e.generic_code}`", e.description) for e in book.phases),
        ),
        *_profile_sections(say),
        "## Aliases",
        "Words of others that are accepted on the way in.",
        _markdown_table(("alias", "code"), ((f"`{alias}`", f"`{code}`") for alias, code in CODE_ALIASES.items())),
        "## Incident reasons",
        _markdown_table(
            ("reason", "meaning"), ((f"`{entry.code}`", entry.description) for entry in book.incident_reasons)
        ),
        "## Sources",
        _markdown_table(("type", "meaning"), ((f"`{entry.code}`", entry.description) for entry in book.source_types)),
        "## Journey",
        TRANSITIONS_TEXT,
        f"```mermaid\n{state_diagram()}```",
        "## What the validator finds",
        _markdown_table(("code", "severity", "message"), _finding_rows(say)),
        "## Projections",
        *_projection_sections(),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _profile_sections(say: SayMessage) -> Iterator[str]:
    for profile in PROFILES:
        rows = (
            (
                f"`{row.code}`",
                f"`{code_address(row.code, profile)}`",
                row.phase,
                _yes_or_empty(row.terminal),
                _yes_or_empty(row.exception),
                _yes_or_empty(row.pod),
                say(f"otep.status.{row.code}"),
            )
            for row in STATUS_CODES
            if row.profile == profile
        )
        yield f"## Profile `{profile}`: {say(f'otep.profile.{profile}')}"
        yield _markdown_table(("code", "address", "phase", "terminal", "exception", "proof", "meaning"), rows)


def _finding_rows(say: SayMessage) -> Iterator[tuple[str, str, str]]:
    for code, rule in FINDING_RULES.items():
        params = {name: f"`{name}`" for name in rule.params}
        yield f"`{code.upper()}`", rule.severity.value, say(f"otep.validate.{code}", **params)


def _projection_sections() -> Iterator[str]:
    for mapping in code_tables():
        yield f"### `{mapping.name}`: {mapping.title}"
        yield f"Source: {mapping.source}."
        if mapping.rows:
            yield _markdown_table(("OTEP codes", *mapping.columns), mapping.rows)
        if mapping.reasons:
            yield _markdown_table(("incident reason", "becomes"), mapping.reasons)


def _yes_or_empty(flag: bool) -> str:
    return "yes" if flag else ""


def _markdown_table(heads: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
