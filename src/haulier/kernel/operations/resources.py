"""Nouns: the kinds of records that operations work on.

They are derived from REST paths: `/v1/drivers` lists a noun, `/v1/drivers/{driver_id}` is one record, operations with
a `driver_id` act on it, and those with `driver_ids` act on many.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.registry import NounWords, Registry

Op = Operation[Any, Any]
_LIST_PREFIX = re.compile(r"^(list|get|find|search)_")
_PAGING = frozenset({"per_page", "cursor"})


@dataclass(eq=False)
class Resource:
    """A kind of record with its operations."""

    key: str
    """Plural name, such as `booking-zones`."""
    listing: Op
    """The read that lists the records."""
    rows: str
    """The answer member that holds the records."""
    row: type[Struct]
    """The type of a record."""
    ids: tuple[str, ...]
    """The request fields that identify a record, outermost first; empty if records cannot be read individually."""
    record: Op | None = None
    """The read that returns one record."""
    makes: list[Op] = field(default_factory=list[Op])
    """Writes that create a record."""
    acts: list[Op] = field(default_factory=list[Op])
    """Writes to one record."""
    bulk: list[Op] = field(default_factory=list[Op])
    """Writes to many records, given by a list of ids."""
    looks: list[Op] = field(default_factory=list[Op])
    """Other reads of one record."""

    @property
    def id_field(self) -> str | None:
        """The request field with the record's id."""
        return self.ids[-1] if self.ids else None

    def role_of(self, operation: Op) -> str:
        """Return the role of an operation for the noun."""
        if operation in (self.listing, self.record):
            return "list" if operation is self.listing else "show"
        many, made = operation in self.bulk, operation in self.makes
        return "make" if made else "act_on_many" if many else "act" if operation in self.acts else "look"

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """The fields that identify the parent of the list."""
        return self.ids[:-1] if self.ids else tuple(path_fields(self.listing))


class ResourceIndex:
    """The nouns of a registry."""

    def __init__(self, registry: Registry, words: NounWords | None = None) -> None:
        told = words or registry.noun_words
        self.by_key: dict[str, Resource] = {}
        self.of_operation: dict[str, Resource] = {}
        self._named_by = told.named_by
        self._at: dict[tuple[str, str], Op] = {
            (interface.method, interface.path): operation for interface, operation in registry.bindings(Rest)
        }
        for operation in registry:
            if noun := self._noun_listed_by(operation):
                self.by_key[noun.key] = noun
                self.of_operation[operation.name] = noun
                if noun.record:
                    self.of_operation.setdefault(noun.record.name, noun)
        self._by_id = dict(self._ids())
        self._means = told.means
        self._by_collection = {collection_path(noun): noun for noun in reversed(self.by_key.values())}
        self._by_path = {item_path(noun): noun for noun in self.by_key.values() if noun.ids}
        made = ((self.by_key.get(key), names) for key, names in told.made_by.items())  # the module may not be loaded
        makers = {name: noun for noun, names in made if noun for name in names}
        named_first = [registry[name] for name in makers if registry.get(name)]
        for operation in (*named_first, *registry):
            self._place(operation, makers.get(operation.name))
        for noun in self:
            noun.record = noun.record or next((look for look in noun.looks if _needs_only(look, noun.ids)), None)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.by_key.values())

    def referred_to(self, id_field: str) -> Resource | None:
        """Return the noun that an id field refers to: `from_warehouse_id` to warehouses."""
        name = snake_case(id_field)
        name = self._means.get(name, name)
        parts = name.split("_")
        tails = ("_".join(parts[at:]) for at in range(len(parts) - 1))
        return next((self._by_id[tail] for tail in tails if tail in self._by_id), None)

    def key_referred_to(self, name: str) -> str | None:
        """Return the key of the noun that an id or list of ids refers to, or None."""
        field = snake_case(name)
        field = field[:-1] if field.endswith("_ids") else field
        noun = self.referred_to(field) if field.endswith("_id") or field in self._means else None
        return noun.key if noun else None

    def read_beside(self, operation: Op) -> Op | None:
        """Return the read at the path of a write, which shows what the write would change."""
        interface = rest_interface(operation)
        return self._at.get(("GET", interface.path)) if interface and interface.method in {"PUT", "PATCH"} else None

    def _noun_listed_by(self, operation: Op) -> Resource | None:
        interface = rest_interface(operation)
        if interface is None or interface.method != "GET" or interface.path.endswith(("}", "json")):
            return None
        rows = _listed_rows(operation)
        item = self._item_of(interface.path)
        if rows is None or not (_PAGING & operation.request.model_fields.keys() or item):
            return None
        key = _LIST_PREFIX.sub("", operation.name).replace("_", "-")
        named = self._named_by.get(key)
        ids = tuple(re.findall(r"{(\w+)}", item)) if item else (named,) if named else ()
        return Resource(key, operation, *rows, ids=ids, record=self._read_of(item) if item else None)

    def _item_of(self, collection: str) -> str | None:
        """Return the path of one record of a collection."""
        prefix = f"{collection}/{{"
        found = sorted(
            {prefix + path[len(prefix) :].split("}")[0] + "}" for _, path in self._at if path.startswith(prefix)}
        )
        return found[0] if found else None

    def _read_of(self, item: str) -> Op | None:
        """Return the shortest read at or below the path of a record."""
        paths = [path for method, path in self._at if method == "GET" and f"{path}/".startswith(f"{item}/")]
        paths = [path for path in paths if path.count("{") == item.count("{")]
        return self._at["GET", min(paths, key=lambda path: (path.count("/"), path))] if paths else None

    def _ids(self) -> Iterator[tuple[str, Resource]]:
        """Yield the noun of each id.

        Prefers the noun named by its plural, then the one with the shortest path.
        """
        candidates: dict[str, list[Resource]] = {}
        for noun in self:
            if len(noun.ids) == 1 and noun.ids[0].lower().endswith("id"):
                candidates.setdefault(snake_case(noun.ids[0]), []).append(noun)
        for name, nouns in candidates.items():
            stem = name.removesuffix("_id").replace("_", "-")
            yield name, min(nouns, key=lambda noun: (noun.key != f"{stem}s", len(item_path(noun))))

    def _place(self, operation: Op, maker_of: Resource | None) -> None:
        if operation.name in self.of_operation or (interface := rest_interface(operation)) is None:
            return
        one = (
            maker_of
            or self._collection_at(interface)
            or self._record_at(interface.path)
            or self._record_needed(operation)
        )
        if many := self._many_of(operation, one):
            many.bulk.append(operation)
        if one:
            made = maker_of is not None or (interface.method == "POST" and interface.path == collection_path(one))
            reads = operation.effect is Effect.READ
            (one.looks if reads else one.makes if made else one.acts).append(operation)
        if placed := one or many:
            self.of_operation[operation.name] = placed

    def _collection_at(self, interface: Rest) -> Resource | None:
        return self._by_collection.get(interface.path) if interface.method == "POST" else None

    def _record_at(self, path: str) -> Resource | None:
        """Return the noun of the innermost record in a path."""
        ends = [found.end() for found in re.finditer(r"}", path)]
        return next((noun for end in reversed(ends) if (noun := self._by_path.get(path[:end]))), None)

    def _record_needed(self, operation: Op) -> Resource | None:
        """Return the noun of the first required id."""
        for name, info in operation.request.model_fields.items():
            if info.is_required() and name in self._by_id:
                return self._by_id[name]
        return None

    def _many_of(self, operation: Op, one: Resource | None) -> Resource | None:
        """Return the noun of the list of ids that a write is about, or None."""
        if operation.effect is Effect.READ:
            return None
        lists = {name[:-1]: info for name, info in operation.request.model_fields.items() if name.endswith("_ids")}
        about = (name for name, info in lists.items() if name in self._by_id and (info.is_required() or not one))
        return next((self._by_id[name] for name in about), None)


@lru_cache(maxsize=8)
def resources_of(registry: Registry) -> ResourceIndex:
    """Return the nouns of the whole registry, computed once."""
    return ResourceIndex(registry.whole)


def rest_interface(operation: Op) -> Rest | None:
    """Return the first REST binding of an operation."""
    return next((interface for interface in operation.interfaces if isinstance(interface, Rest)), None)


def path_fields(operation: Op) -> list[str]:
    """Return the request fields in an operation's path."""
    interface = rest_interface(operation)
    return re.findall(r"{(\w+)}", interface.path) if interface else []


def collection_path(noun: Resource) -> str:
    """Return the path that lists a noun."""
    interface = rest_interface(noun.listing)
    return interface.path if interface else ""


def item_path(noun: Resource) -> str:
    """Return the path of one record of a noun."""
    return f"{collection_path(noun)}/{{{noun.id_field}}}"


def snake_case(name: str) -> str:
    """Convert `appCode` to `app_code`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _needs_only(operation: Op, ids: tuple[str, ...]) -> bool:
    needed = {info.alias or name for name, info in operation.request.model_fields.items() if info.is_required()}
    return needed == set(ids)


def _listed_rows(operation: Op) -> tuple[str, type[Struct]] | None:
    """Return the list of records in an answer, with their type."""
    for name, kind in get_type_hints(operation.answer).items():
        for part in (kind, *get_args(kind)):
            row = get_args(part)[0] if get_origin(part) is list else None
            if isinstance(row, type) and issubclass(row, Struct):
                return name, row
    return None
