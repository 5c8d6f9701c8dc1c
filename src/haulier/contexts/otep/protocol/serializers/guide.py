"""The guide to the protocol, in Markdown: sentences from the catalogues, everything else from the tables in code."""

import json
from collections.abc import Iterable, Iterator

from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.protocol.contract import EXAMPLE_TIMELINE
from haulier.contexts.otep.protocol.serializers.localization import SayMessage
from haulier.contexts.otep.timeline.contract import OTEP_VERSION
from haulier.contexts.otep.vocabulary.rules import (
    CODE_ALIASES,
    INCIDENT_REASONS,
    PHASE_RANK,
    PROFILES,
    STATUS_CODES,
    UNIVERSAL_PROFILE,
)
from haulier.kernel.operations.declaration import Rest
from haulier.kernel.operations.registry import Registry

GUIDE_SECTIONS = ("event", "codes", "journey", "levels", "formats", "addresses")
"""Headings are `otep.guide.<section>`, what stands below them `otep.guide.<section>.text`."""


def render_guide(say: SayMessage, registry: Registry, base_url: str) -> str:
    """The guide of a service at an address, in the language of `say`."""
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
