"""The guide to the protocol, in Markdown: sentences from the catalogues, everything else from the tables in code."""

import json
from collections.abc import Iterable, Iterator

from haulier.contexts.tracking.otep.model import OTEP_VERSION
from haulier.contexts.tracking.otep.projections import FORMATS
from haulier.contexts.tracking.otep.vocabulary import ALIASES, INCIDENT_REASONS, PROFILES, RANK, TABLE, UNIVERSAL
from haulier.contexts.tracking.protocol.contract import EXAMPLE
from haulier.contexts.tracking.protocol.wording import Say
from haulier.kernel.operation import Rest
from haulier.kernel.registry import Registry

SECTIONS = ("event", "codes", "journey", "levels", "formats", "addresses")
"""Headings are `otep.guide.<section>`, what stands below them `otep.guide.<section>.text`."""


def guide(say: Say, registry: Registry, base_url: str) -> str:
    """The guide of a service at an address, in the language of `say`."""
    facts = {
        "event": _example(),
        "codes": _codes(say),
        "journey": _list(f"`{row.code}`: {say(f'otep.status.{row.code}')}" for row in TABLE if row.terminal),
        "levels": [],
        "formats": _list(f"`{name}`: {format.title}" for name, format in FORMATS.items()),
        "addresses": _addresses(registry, base_url),
    }
    parts = [f"# OTEP {OTEP_VERSION}", say("otep.guide.introduction")]
    for section in SECTIONS:
        text = say(f"otep.guide.{section}.text", reasons=_ticked(INCIDENT_REASONS))
        parts += [f"## {say(f'otep.guide.{section}')}", text, *facts[section]]
    return "\n\n".join(parts) + "\n"


def _example() -> list[str]:
    return [f"```json\n{json.dumps(EXAMPLE, indent=2)}\n```"]


def _codes(say: Say) -> list[str]:
    return [
        *_list(_phases(say)),
        *_list(_profiles(say)),
        *_list(f"`{word}` → `{code}`" for word, code in ALIASES.items()),
    ]


def _phases(say: Say) -> Iterator[str]:
    for phase in RANK:
        codes = (row.code for row in TABLE if row.phase == phase and row.profile == UNIVERSAL)
        yield f"`{phase}` ({say(f'otep.phase.{phase}')}): {_ticked(codes)}"


def _profiles(say: Say) -> Iterator[str]:
    for profile in PROFILES[1:]:
        codes = (row.code for row in TABLE if row.profile == profile)
        yield f"`{profile}` ({say(f'otep.profile.{profile}')}): {_ticked(codes)}"


def _addresses(registry: Registry, base_url: str) -> list[str]:
    bound = ((rest, operation) for rest, operation in registry.at(Rest) if rest.path.startswith("/v1/otep/"))
    return _list(f"`{rest.method} {base_url}/api{rest.path}`: {operation.summary}" for rest, operation in bound)


def _ticked(codes: Iterable[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes)


def _list(lines: Iterable[str]) -> list[str]:
    return ["\n".join(f"- {line}" for line in lines)]
