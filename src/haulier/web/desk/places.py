"""Pages of operations: nouns of the registry, sections and exclusions."""

import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, convert

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import SIGNED_IN, Account, Effect, Feature, Module
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.resources import Resource, resources_of, snake_case
from haulier.kernel.pipeline.authorise import disabled_module
from haulier.web.session import WebSession

Op = Operation[Any, Any]
ACT_ADDRESS = "/desk/act/"


class DeskDeclarations(Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of `desk.toml`."""

    sections: dict[str, list[str]]
    customer_names: dict[str, str]
    in_section: dict[str, str]
    section_pages: dict[str, tuple[str, str]]
    section_days: dict[str, str]
    help: dict[str, str]
    section_jobs: dict[str, list[str]]
    job_acts: dict[str, list[str]]
    further_pages: dict[str, tuple[str, str]]
    found_by: dict[str, str]
    moods: dict[str, list[str]]
    columns: dict[str, list[str]]
    inner_columns: dict[str, list[str]]
    foremost: dict[str, list[str]]
    keys: dict[str, str]
    with_ticked: dict[str, dict[str, dict[str, str]]]
    prefilled: dict[str, dict[str, dict[str, str]]]
    reported: dict[str, list[str]]
    record_parts: dict[str, str]
    shown_within: dict[str, list[str]]
    audited_as: dict[str, str]
    heard_with: dict[str, list[str]]
    downloads: dict[str, str]
    own_pages: dict[str, str]
    list_pages: dict[str, str]
    led_to: dict[str, list[tuple[str, str, str]]]
    emails: dict[str, list[str]]
    parts: dict[str, str]
    pages: dict[str, str]
    not_for_people: dict[str, str]


@cache
def declarations() -> DeskDeclarations:
    """Return the contents of `desk.toml`, read once."""
    return convert(tomllib.loads(Path(__file__).with_name("desk.toml").read_text("utf-8")), DeskDeclarations)


class Places:
    """The places of a registry's operations."""

    def __init__(self, registry: Registry) -> None:
        told = declarations()
        self.registry = registry
        self.nouns = resources_of(registry)
        self._sections: dict[tuple[Account, frozenset[Feature], frozenset[Module]], list[str]] = {}
        self._section_of = {context: section for section, contexts in told.sections.items() for context in contexts}

    def section_of(self, operation: Op) -> str | None:
        """The section of the rail that an operation belongs to."""
        noun = self.nouns.of_operation.get(operation.name)
        named = (operation.name, noun.key if noun else "")
        moved = next((found for name in named if (found := declarations().in_section.get(name))), None)
        family = f"{operation.context}.{operation.family}"
        return moved or self._section_of.get(family) or self._section_of.get(operation.context)

    def nouns_in(self, section: str, session: WebSession) -> list[Resource]:
        """Return the nouns of a section that the caller may list without a parent."""
        listed = (noun for noun in self.nouns if self.section_of(noun.listing) == section and not noun.parents)
        return [noun for noun in listed if may_use(session, noun.listing)]

    def sections_for(self, session: WebSession) -> list[str]:
        """The sections that hold anything for a person."""
        key = (session.account, session.features, session.modules)
        found = self._sections.get(key)
        if found is None:
            found = [
                name
                for name in declarations().sections
                if self.nouns_in(name, session) or self.others_in(name, session)
            ]
            self._sections[key] = found
        return found

    def section_address(self, section: str, session: WebSession) -> str:
        """Where a section begins for a person."""
        address, shown = declarations().section_pages.get(section, (None, ""))
        operation = self.registry.get(shown)
        return address if address and operation and may_use(session, operation) else f"/desk/sections/{section}"

    def help_address(self, section: str | None) -> str:
        """Return the address of the page of the documentation that explains a section."""
        pages = declarations().help
        return f"/docs/{pages.get(section or '', pages['home'])}/"

    def further_pages(self, session: WebSession, section: str | None = None) -> dict[str, str]:
        """Return names and addresses of handmade pages that the caller may open."""
        found: dict[str, str] = {}
        for name, (address, shown) in declarations().further_pages.items():
            operation = self.registry.get(shown)
            if operation and may_use(session, operation) and section in (None, self.section_of(operation)):
                found[name] = address
        return found

    def page_of_list(self, noun: Resource, session: WebSession) -> tuple[str, str] | None:
        """Return name and address of the page that works off the records of a list."""
        name = declarations().list_pages.get(noun.key, "")
        address = self.further_pages(session).get(name)
        return (name, address) if address else None

    def led_to(self, noun: Resource, id: str, session: WebSession) -> list[tuple[str, str]]:
        """Return links from a record to handmade pages: text and address."""
        return [
            (words, f"{address}{id}")
            for words, address, shown in declarations().led_to.get(noun.key, [])
            if (operation := self.registry.get(shown)) and may_use(session, operation)
        ]

    def others_in(self, section: str, session: WebSession) -> list[Op]:
        """Return the operations of a section without a noun that the caller may list."""
        shown = self.nouns_in(section, session)
        return [
            operation
            for operation in self.registry
            if self.section_of(operation) == section
            and self.has_page(operation)
            and may_use(session, operation)
            and (noun := self.nouns.of_operation.get(operation.name)) not in shown
            and (noun is None or operation not in {noun.listing, noun.record} or not noun.parents)
        ]

    def has_page(self, operation: Op) -> bool:
        """Return True if the desk has a page for this operation."""
        told = declarations()
        named = operation.name in told.pages or operation.name in told.not_for_people
        reachable = operation.public or bool(operation.audience & SIGNED_IN)
        return reachable and not named and self.section_of(operation) is not None

    def without_place(self) -> list[str]:
        """Return the operations with neither a page nor a reason. A test keeps this empty."""
        told = declarations()
        placed = told.pages.keys() | told.not_for_people.keys()
        return [each.name for each in self.registry if each.name not in placed and not self.has_page(each)]


def may_use(session: WebSession, operation: Op) -> bool:
    """Return True if an account type may call or propose an operation.

    Its module must be enabled.
    """
    has_feature = operation.feature is None or operation.feature in session.features
    is_on = has_feature and disabled_module(operation, session.modules) is None
    return is_on and (operation.public or session.account in operation.audience)


def record_kind(noun: Resource) -> str:
    """Return the record type of a noun in the audit trail: `order` for `order_id`."""
    return declarations().audited_as.get(noun.key) or snake_case(noun.id_field or "").removesuffix("_id")


def address_of(noun: Resource, ids: list[Any] | None = None) -> str:
    """The address of a noun's list, or of one record."""
    return "/".join(["/desk", noun.key, *(str(each) for each in ids or [])])


def act_address(operation: Op, **values: Any) -> str:
    """The address of an operation's page, with fields filled in."""
    address = declarations().own_pages.get(operation.name, f"{ACT_ADDRESS}{operation.name}")
    return address + (f"?{urlencode(values, doseq=True)}" if values else "")


def acts_on(noun: Resource, session: WebSession) -> Iterator[Op]:
    """Return the actions that the caller may run on one record."""
    return (act for act in noun.acts if may_use(session, act) and act.effect is Effect.WRITE)


places_of = lru_cache(maxsize=8)(Places)
"""The places of a registry, found when they are first asked for: that looks at each operation several times."""
