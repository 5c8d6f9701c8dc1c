"""The reference of the protocol as a page: every table in code that decides something, in Markdown."""

from collections.abc import Iterable, Iterator
from typing import Any

from haulier.contexts.tracking.otep.diagram import diagram
from haulier.contexts.tracking.otep.model import OTEP_VERSION
from haulier.contexts.tracking.otep.rules.findings import RULES
from haulier.contexts.tracking.otep.vocabulary import ALIASES, PROFILES, TABLE, address
from haulier.contexts.tracking.protocol.mappings import code_tables
from haulier.contexts.tracking.protocol.wording import Say, codebook

INTRODUCTION = f"""# OTEP {OTEP_VERSION}

The vocabulary of the tracking protocol, and what it becomes in other standards. Written by `make published` from the tables in
code; the service itself publishes the same at `/api/v1/otep/codebook`, `/api/v1/otep/schema.json` and `/api/v1/otep/guide`.
"""
TRANSITIONS = """
Any code may follow a code of the same or an earlier phase. A step back to an earlier phase is in order only after
an exception or around a fresh pickup attempt. A terminal code may end the journey wherever it is; nothing may follow it.
Exceptions are drawn with a broken line.
"""


def reference(say: Say) -> str:
    """The whole page; `say` gives the words of the codes."""
    book = codebook(say)
    parts = [
        INTRODUCTION,
        "## Phases",
        _table(
            ("phase", "address", "generic code", "meaning"),
            ((f"`{e.phase}`", f"`{e.address}`", f"`{e.generic_code}`", e.description) for e in book.phases),
        ),
        *_profiles(say),
        "## Aliases",
        "Words of others that are accepted on the way in.",
        _table(("alias", "code"), ((f"`{alias}`", f"`{code}`") for alias, code in ALIASES.items())),
        "## Incident reasons",
        _table(("reason", "meaning"), ((f"`{entry.code}`", entry.description) for entry in book.incident_reasons)),
        "## Sources",
        _table(("type", "meaning"), ((f"`{entry.code}`", entry.description) for entry in book.source_types)),
        "## Journey",
        TRANSITIONS,
        f"```mermaid\n{diagram()}```",
        "## What the validator finds",
        _table(("code", "severity", "message"), _findings(say)),
        "## Projections",
        *_projections(),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _profiles(say: Say) -> Iterator[str]:
    for profile in PROFILES:
        rows = (
            (
                f"`{row.code}`",
                f"`{address(row.code, profile)}`",
                row.phase,
                _mark(row.terminal),
                _mark(row.exception),
                _mark(row.pod),
                say(f"otep.status.{row.code}"),
            )
            for row in TABLE
            if row.profile == profile
        )
        yield f"## Profile `{profile}`: {say(f'otep.profile.{profile}')}"
        yield _table(("code", "address", "phase", "terminal", "exception", "proof", "meaning"), rows)


def _findings(say: Say) -> Iterator[tuple[str, str, str]]:
    for code, rule in RULES.items():
        shown = {name: f"`{name}`" for name in rule.params}
        yield f"`{code.upper()}`", rule.severity.value, say(f"otep.validate.{code}", **shown)


def _projections() -> Iterator[str]:
    for mapping in code_tables():
        yield f"### `{mapping.name}`: {mapping.title}"
        yield f"Source: {mapping.source}."
        if mapping.rows:
            yield _table(("OTEP codes", *mapping.columns), mapping.rows)
        if mapping.reasons:
            yield _table(("incident reason", "becomes"), mapping.reasons)


def _mark(flag: bool) -> str:
    return "yes" if flag else ""


def _table(heads: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
