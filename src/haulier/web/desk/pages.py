"""Desk pages for sections and lists of the registry, and what every page needs."""

import hashlib
import re
import secrets
from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from markupsafe import Markup
from msgspec import Struct, json
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account, Effect
from haulier.kernel.operations.resources import Resource
from haulier.kernel.pipeline.result import OperationResult
from haulier.rendering.mail import MailBrand
from haulier.web.desk.outcomes import outcome_in
from haulier.web.desk.places import Places, act_address, declarations, may_use
from haulier.web.desk.portal import SHOWN_ABOVE, list_entries
from haulier.web.desk.reader import COLUMNS_MAX, UNSHOWN, DeskReader, id_of
from haulier.web.desk.same_by_api import same_calls
from haulier.web.i18n import Translate, page_language, page_translator
from haulier.web.kinds.habits import Habits
from haulier.web.operations_client import call_with_values
from haulier.web.pages.push_alerts import alerts_for
from haulier.web.pages.value_formatter import ValueFormatter
from haulier.web.rendering import render_page, render_part
from haulier.web.session import WebSession, app_of

Op = Operation[Any, Any]
PAGING_FIELDS = frozenset({"page", "per_page", "cursor"})
MORE_FILTERS = "more_filters"
CSRF_OF_SESSION, ONCE_PER_FORM = "csrf-of-session", "once-per-form"
"""Tokens of a session in a part that all staff get. `desk-live.js` knows them too."""
"""Asks in an address for the filters that are seldom wanted: most pages are read without them, and they are a third of one."""
VIEW_FIELD = "view"
"""Says in an address which kept view it came from."""
DRAWER_FIELD = "drawer"
"""Says in an address of a list which record lies open beside it."""
UNFOLLOWED = frozenset({"done", "outcome", "undo", "seen", VIEW_FIELD, MORE_FILTERS, DRAWER_FIELD})
"""Parameters of an address that do not change what is read."""
UNFILTERED = UNFOLLOWED | PAGING_FIELDS | {"columns", "lang"}
"""Parameters of a list address that are not filters."""
LINKED = ("order_ref", "name", "title", "number", "tracking_number", "code")
"""Columns that name a record, best first."""
COUNTED_MOST = 100
"""Records that are read to count a list without a total."""
DIGITS_MAX, PAGE_MAX = 15, 99_999
TOLD_ONCE = frozenset({"secret", "token", "password"})


class DeskRequest:
    """Context of a desk page: session, language and registry."""

    def __init__(self, request: Request, session: WebSession, places: Places, brand: MailBrand | None = None) -> None:
        self.request, self.session, self.places, self.brand = request, session, places, brand

    @cached_property
    def say(self) -> Translate:
        """The messages in the reader's language."""
        return page_translator(self.request)

    @cached_property
    def formatter(self) -> ValueFormatter:
        """Values in the reader's language and the business's time zone."""
        zone, now = self.session.time_zone, app_of(self.request).clock()
        return ValueFormatter(self.say, page_language(self.request), zone, now, self.habits)

    @cached_property
    def habits(self) -> Habits:
        """The language, currency and units of this person."""
        return Habits(page_language(self.request), self.session.currency, self.session.country)

    @cached_property
    def reader(self) -> DeskReader:
        """Answers as this person reads them."""
        return DeskReader(self.places, self.session, self.say, self.formatter)

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """Texts in the address by field."""
        query = self.request.query_params
        return {name: [text for text in query.getlist(name) if text] for name in query if any(query.getlist(name))}

    @property
    def implied(self) -> frozenset[str]:
        """Fields with implied values: customers act for themselves."""
        return frozenset({"customer_id"}) if self.session.account is Account.CUSTOMER else frozenset()

    @cached_property
    def today(self) -> date:
        """The current day where the business is."""
        return app_of(self.request).clock().astimezone(ZoneInfo(self.session.time_zone)).date()

    def number(self, name: str) -> int | None:
        """Return a number in the address, or None."""
        return parse_number(self.texts.get(name, [""])[-1])

    @property
    def page_number(self) -> int:
        """The page in the address, else 1."""
        return parse_page(self.texts.get("page", [""])[-1])

    def section_entry(self, section: str) -> str:
        """Return the address that the rail opens, of the current day if it has days."""
        address, day = self.places.section_address(section, self.session), declarations().section_days.get(section)
        return f"{address}?{day}={self.today}" if day and address in declarations().section_pages[section] else address

    def section_title(self, section: str) -> str:
        """Return the title of a section, which has another one for customers in part."""
        is_customer = self.session.account is Account.CUSTOMER
        return self.say(
            f"desk.section_{declarations().customer_names.get(section, section) if is_customer else section}"
        )

    async def call(self, operation: Op, values: Mapping[str, Any], **options: Any) -> OperationResult:
        """Call an operation as this person."""
        return await call_with_values(self.request, operation, values, session=self.session, **options)

    async def read(self, operation: Op, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer of a read as plain JSON, or None if it was refused."""
        result = await self.call(operation, values)
        return plain_answer(result) if result.error is None else None

    async def read_if_allowed(self, operation: Op | None, **values: Any) -> dict[str, Any]:
        """Return the answer of a read, or nothing without permission or module."""
        return await self.read(operation, values) or {} if operation and self.may(operation) else {}

    def find(self, name: str) -> Op | None:
        """The operation of that name, or None if its module is not loaded."""
        return self.places.registry.get(name)

    def page(self, template: str, *, status_code: int = 200, **values: Any) -> Response:
        """A page in the frame of the desk."""
        sections = self.places.sections_for(self.session)
        portal = list(list_entries(self)) if self.session.account is Account.CUSTOMER else None
        return render_page(
            self.request,
            template,
            session=self.session,
            status_code=status_code,
            sections=sections,
            portal=portal,
            is_listed=any(entry.current(self.request.url.path) for entry in portal or ()),
            listed_above=SHOWN_ABOVE,
            unshown=UNSHOWN,
            **self._parts,
            **values,
        )

    def part(self, template: str, **values: Any) -> str:
        """Return a part of a page that a stream can update.

        All staff get the same part: `with_own_tokens` and `desk-live.js` put in the tokens of each session.
        """
        shared = replace(self.session, csrf=CSRF_OF_SESSION)
        return render_part(self.request, template, session=shared, **self._parts, once=ONCE_PER_FORM, **values)

    def with_own_tokens(self, part: str) -> Markup:
        """Return a part with the CSRF token of this session, and a key for each form."""
        own = part.replace(CSRF_OF_SESSION, self.session.csrf)
        return Markup(re.sub(ONCE_PER_FORM, lambda _: secrets.token_urlsafe(16), own))

    @property
    def _parts(self) -> dict[str, Any]:
        return {
            "reader": self.reader,
            "desk": self,
            "act_address": act_address,
            "id_of": id_of,
            "came": outcome_in(self),
        }

    def live_address(self, operation: Op, part: str) -> str | None:
        """Return the stream address of a part, or None if a read must not be repeated."""
        if operation.audited or operation.limits:
            return None
        path = self.request.url.path.removeprefix("/desk/")
        query = {name: texts for name, texts in self.texts.items() if name not in UNFOLLOWED}
        return f"/desk/live/{path}?{urlencode({**query, 'seen': state_of(part)}, doseq=True)}"

    def same(self, operation: Op, values: Mapping[str, Any]) -> Any:
        """The same call by the other doors."""
        return same_calls(operation, values, app_of(self.request).base_url)

    def may(self, operation: Op | None) -> bool:
        """Return True if the caller may call or propose an operation."""
        return operation is not None and may_use(self.session, operation)

    def address_with(self, query: Mapping[str, Any]) -> str:
        """The address of this page with another query."""
        return f"{self.request.url.path}?{urlencode(query, doseq=True)}"

    def link_with(self, **changes: Any) -> str:
        """The address of this page with some of its query changed; None takes a part out."""
        query = {name: texts for name, texts in self.texts.items() if name not in changes}
        added = {name: value for name, value in changes.items() if value is not None}
        return self.address_with({**query, **added})


def state_of(part: str) -> str:
    """A short name of what a part of a page says."""
    return hashlib.blake2s(part.encode(), digest_size=8).hexdigest()


class TableView(Struct, frozen=True, kw_only=True):
    """Records of an answer as a table."""

    noun: Resource | None
    columns: list[str]
    rows: list[dict[str, Any]]
    within: dict[str, Any] = {}

    @property
    def link_column(self) -> str:
        """Return the column that links to the record: its name, else the first."""
        return next((name for name in LINKED if name in self.columns), self.columns[0] if self.columns else "")

    @property
    def told_apart(self) -> bool:
        """Return True if each row has its own ID."""
        ids = [id_of(self.noun, row) if self.noun else None for row in self.rows]
        return None not in ids and len(set(ids)) == len(ids)


def group_others(desk: DeskRequest, others: list[Op]) -> dict[str, list[Op]]:
    """Group operations without a list: settings, actions and look-ups, each by title.

    A read at the path of a setting is left out: the page of the setting shows it.
    """
    read_beside = {each.name: desk.places.nouns.read_beside(each) for each in others if each.effect is Effect.WRITE}
    shown_elsewhere = {read.name for read in read_beside.values() if read}
    groups: dict[str, list[Op]] = {"settings_of": [], "actions": [], "lookups": []}
    for each in sorted(others, key=lambda each: desk.reader.title(each).text.lower()):
        if read_beside.get(each.name):
            groups["settings_of"].append(each)
        elif each.effect is Effect.WRITE:
            groups["actions"].append(each)
        elif each.name not in shown_elsewhere:
            groups["lookups"].append(each)
    return {name: group for name, group in groups.items() if group}


class SectionJob(Struct, frozen=True):
    """A list that people come to a section for."""

    noun: Resource
    figure: str
    """Number of its records; empty if the list does not count them."""
    acts: list[Op]
    """The action that creates a record, and the actions declared beside the list."""


async def section_page(desk: DeskRequest) -> Response:
    """A section: the main lists with a figure each, and all other actions."""
    section = desk.request.path_params["section"]
    if section not in declarations().sections:
        return not_found(desk)
    others = group_others(desk, desk.places.others_in(section, desk.session))
    nouns = sorted(desk.places.nouns_in(section, desk.session), key=lambda each: desk.reader.noun(each).text.lower())
    by_key = {noun.key: noun for noun in nouns}
    first = [by_key[key] for key in declarations().section_jobs.get(section, []) if key in by_key]
    sought = desk.request.query_params.get("q", "").strip()
    return desk.page(
        "desk_section.html",
        section=section,
        first_page=desk.section_entry(section),
        jobs=[SectionJob(noun, await _figure(desk, noun), _acts_beside(desk, noun)) for noun in first],
        nouns=[noun for noun in nouns if noun not in first and _is_sought(desk.reader.noun(noun).text, sought)],
        others={
            name: found
            for name, group in others.items()
            if (found := [each for each in group if _is_sought(desk.reader.title(each).text, sought)])
        },
        sought=sought,
        **(alerts_for(desk.request, desk.session) if section == "messages" else {}),
    )


def _is_sought(text: str, sought: str) -> bool:
    return all(word in text.casefold() for word in sought.casefold().split())


def _acts_beside(desk: DeskRequest, noun: Resource) -> list[Op]:
    makes = [each for each in noun.makes if desk.may(each)]
    declared = [desk.find(name) for name in declarations().job_acts.get(noun.key, [])]
    return [*makes[:1], *(each for each in declared if each and desk.may(each))]


async def _figure(desk: DeskRequest, noun: Resource) -> str:
    """Return the number of records of a list, `100+` if it does not count them."""
    fields = noun.listing.request.model_fields
    if noun.listing.audited or any(each.is_required() for each in fields.values()):
        return ""
    size = next((name for name in ("per_page", "limit") if name in fields), None)
    answer = await desk.read(noun.listing, {size: 1 if "page" in fields else COUNTED_MOST} if size else {}) or {}
    if (total := answer.get("total")) is not None:
        return f"{total}+" if answer.get("total_is_floor") else str(total)
    rows = len(answer.get(noun.rows) or [])
    return f"{rows}+" if answer.get("next_cursor") or (size and rows == COUNTED_MOST) else str(rows)


def tables_in(desk: DeskRequest, record: Mapping[str, Any], within: Resource | None = None) -> dict[str, TableView]:
    """The lists in an answer, or in a record of the noun `within`, each as a table."""
    found: dict[str, TableView] = {}
    for name, value in record.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            plain = [key for key, inner in value[0].items() if not isinstance(inner, (list, dict))]
            noun = desk.places.nouns.by_key.get(name.replace("_", "-"))
            found[name] = TableView(noun=noun, columns=_columns_of(name, noun, plain, within), rows=value)
    return found


def _columns_of(name: str, noun: Resource | None, plain: list[str], within: Resource | None) -> list[str]:
    """Return the columns of a list in an answer, including values given once."""
    declared = declarations()
    own = declared.inner_columns.get(f"{within.key}.{name}") if within else None
    told = own or declared.inner_columns.get(name) or declared.columns.get(noun.key if noun else "", [])
    chosen = [name for name in told if name in plain] or plain[:COLUMNS_MAX]
    return [*chosen, *(name for name in plain if name in TOLD_ONCE and name not in chosen)]


def plain_answer(result: OperationResult) -> dict[str, Any]:
    """An answer as plain JSON values."""
    answer: dict[str, Any] = json.decode(codec.encode_json(result.answer))
    return answer


def parse_number(text: str) -> int | None:
    """Return a number of at most 15 digits in a form or address, or None."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= DIGITS_MAX else None


def parse_page(text: str) -> int:
    """Return a page of a list, else 1."""
    number = parse_number(text)
    return number if number and number <= PAGE_MAX else 1


def list_problems(result: OperationResult) -> list[str]:
    """Return the messages about fields at fault, else the message of the error."""
    error = result.error or {}
    return [each["message"] for each in error.get("errors", ())] or [error.get("message", "")]


def field_faults(result: OperationResult) -> dict[str, str]:
    """The message about each field at fault."""
    return {error["field"]: error["message"] for error in (result.error or {}).get("errors", ())}


def not_found(desk: DeskRequest, result: OperationResult | None = None) -> Response:
    """A page that says that there is nothing, or why it is not shown."""
    status = result.status if result and result.error else 404
    text = result.error["message"] if result and result.error else desk.say("page.not_found_text")
    return desk.page("desk_notice.html", status_code=status, title=desk.say("page.not_found"), text=text)
