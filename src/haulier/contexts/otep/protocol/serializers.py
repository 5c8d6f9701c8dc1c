"""The reference of the protocol as a page: every table in code that decides something, in Markdown."""

from collections.abc import Iterable, Iterator
from typing import Any

from haulier.contexts.otep.protocol.serializers.code_tables import code_tables
from haulier.contexts.otep.protocol.serializers.localization import SayMessage, localize_codebook
from haulier.contexts.otep.timeline.contract import OTEP_VERSION
from haulier.contexts.otep.validation.rules.findings import FINDING_RULES
from haulier.contexts.otep.vocabulary.rules import CODE_ALIASES, PROFILES, STATUS_CODES, code_address
from haulier.contexts.otep.vocabulary.serializers import state_diagram

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
    """The whole page; `say` gives the words of the codes."""
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
