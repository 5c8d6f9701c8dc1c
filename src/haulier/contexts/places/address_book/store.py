"""Tables and statements of the address book."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    Index,
    Integer,
    LargeBinary,
    Select,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    literal_column,
    select,
    text,
    update,
)

from haulier.contexts.places.geocoding.rules.words import MAX_LETTERS, spelling_keys
from haulier.contexts.places.ports import Quality
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import ids_with_words, insert_words, search_table
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT
from haulier.kernel.values.words import fold_words

MAX_CANDIDATES = 100
"""Maximum number of candidates that are ranked. A search with more needs another word."""

addresses = tenant_table(
    "address",
    Column("name", String(200), nullable=False),
    Column("company", String(200)),
    Column("address", String(200), nullable=False),
    Column("unit", String(200)),
    Column("city", String(200), nullable=False),
    Column("region", String(200)),
    Column("postal_code", String(20)),
    Column("country", String(2), nullable=False),
    Column("phone", String(50)),
    Column("email", String(254)),
    Column("lat", Float),
    Column("lng", Float),
    Column("quality", String(20), info={"enum": Quality}),
    Column("access_notes", Text),
    Column("gate_code", String(50)),
    Column("reference", String(100)),
    Column("default_sender", Boolean, nullable=False),
    Column("customer_id", BigInteger, nullable=False, server_default="0"),
    Column("place_key", String(32), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("merged_into_id", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("deleted_at", UTCDateTime),
    Index("ix_address_name", "client_id", "name", "id"),
    # Partial index: only customers list a book by owner, and most addresses belong to the business.
    Index(
        "ix_address_customer",
        *("client_id", "customer_id", "name", "id"),
        sqlite_where=text("customer_id <> 0"),
        postgresql_where=text("customer_id <> 0"),
    ),
    Index(
        "ix_address_place",
        "client_id",
        "place_key",
        "name_key",
        "customer_id",
        sqlite_where=text("deleted_at IS NULL"),
        postgresql_where=text("deleted_at IS NULL"),
    ),
)
partial_unique_index("uq_address_reference", "deleted_at IS NULL", addresses.c.customer_id, addresses.c.reference)
partial_unique_index("uq_address_default_sender", "default_sender AND deleted_at IS NULL", addresses.c.customer_id)
OFFICE_BOOK = 0
"""The book of the business's own addresses; that of a customer has the customer's id."""
address_words = search_table("address_words")


async def _remove_addresses(call: Call, ids: Collection[int]) -> None:
    """Delete addresses for good, with the words they are found by."""
    for table in (address_words, addresses):
        await call.work.run(delete(table).where(in_param(table.c.id, "ids")), ids=list(ids))


personal_data(
    addresses,
    RecordKind.ADDRESS_BOOK,
    by={"name": PersonKey.NAME, "email": PersonKey.EMAIL, "phone": PersonKey.PHONE},
    secret=frozenset({"gate_code", "place_key", "name_key"}),
    remove=_remove_addresses,
)
retained(RecordKind.ADDRESS_BOOK, addresses.c.deleted_at, default_days=90, only=addresses.c.deleted_at.is_not(None))
# No search of their own: words are removed with their address.
personal_data(address_words, RecordKind.ADDRESS_BOOK, find=lambda keys: None)
plain_columns(addresses, "quality", "country")


class AddressRow(Row):
    """An address of the book."""

    id: int
    name: str
    company: str | None
    address: str
    unit: str | None
    city: str
    region: str | None
    postal_code: str | None
    country: str
    phone: str | None
    email: str | None
    lat: float | None
    lng: float | None
    quality: str | None
    access_notes: str | None
    gate_code: str | None
    reference: str | None
    default_sender: bool
    customer_id: int
    """In whose book it is: a customer's, or `OFFICE_BOOK`."""
    place_key: str
    name_key: str
    updated_at: datetime


class DuplicateKey(Row):
    """Common key of possible duplicates."""

    place_key: str
    name_key: str
    customer_id: int


_standing = addresses.c.deleted_at.is_(None)
_by_ids = select(addresses).where(in_param(addresses.c.id, "ids"), _standing)
_by_ids_locked = _by_ids.order_by(addresses.c.id).with_for_update()
_in_book = addresses.c.customer_id == bindparam("book", type_=BigInteger)
_by_references = select(addresses).where(in_param(addresses.c.reference, "references"), _in_book, _standing)
_same_place = select(addresses).where(in_param(addresses.c.place_key, "keys"), _standing).order_by(addresses.c.id)
_same_place_in_book = _same_place.where(_in_book)
_default_senders = select(addresses).where(
    addresses.c.default_sender, in_param(addresses.c.customer_id, "books"), _standing
)
_no_default_sender = (
    update(addresses)
    .where(addresses.c.default_sender, _in_book, _standing, addresses.c.id != bindparam("except_id"))
    .values(default_sender=False)
)
_delete = (
    update(addresses)
    .where(in_param(addresses.c.id, "ids"), _standing)
    .values(
        deleted_at=bindparam("now"),
        updated_at=bindparam("now"),
        default_sender=False,
        merged_into_id=bindparam("into", type_=BigInteger),
    )
)
_forget_words = delete(address_words).where(in_param(address_words.c.id, "ids"))
_found_ids = ids_with_words(address_words, "query", MAX_COUNT + 1)
_best_ids = ids_with_words(address_words, "query", MAX_CANDIDATES)
_found = select(addresses).where(addresses.c.id.in_(_best_ids), _standing)
_duplicate_keys = (
    select(addresses.c.place_key, addresses.c.name_key, addresses.c.customer_id)
    .where(_standing)
    .group_by(addresses.c.place_key, addresses.c.name_key, addresses.c.customer_id)
    .having(func.count() > 1)
    .order_by(addresses.c.place_key, addresses.c.name_key, addresses.c.customer_id)
)
_duplicate_page = _duplicate_keys.limit(bindparam("page_size")).offset(bindparam("skipped"))
_duplicate_count = select(func.count()).select_from(_duplicate_keys.limit(MAX_COUNT + 1).subquery())
_place = (
    update(addresses)
    .where(addresses.c.id == bindparam("row_id"), addresses.c.place_key == bindparam("key"), addresses.c.lat.is_(None))
    .values(lat=bindparam("new_lat"), lng=bindparam("new_lng"), quality=bindparam("new_quality"))
)


async def place_addresses(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write coordinates of addresses that have none and are unchanged.

    Keys: `row_id`, `key` and the `new_…` columns.
    """
    await work.run_many(_place, rows)


async def insert_addresses(work: UnitOfWork, rows: Sequence[Mapping[str, Any]], words: Sequence[str]) -> list[int]:
    """Insert addresses with their search words, and return their ids.

    Raises `UniqueConflict` for a reference.
    """
    ids = await work.insert_many(addresses, rows)
    await insert_words(work, address_words, [*zip(ids, words, strict=True)])
    return ids


async def update_address(work: UnitOfWork, address_id: int, values: Mapping[str, Any], words: str) -> None:
    """Change columns of an address, and the words it is found by."""
    await work.run(
        update(addresses).where(addresses.c.id == bindparam("address_id")).values(**values), address_id=address_id
    )
    await work.upsert(address_words, {"id"}, id=address_id, words=words)


async def update_addresses(work: UnitOfWork, rows: Sequence[Mapping[str, Any]], words: Sequence[str]) -> None:
    """Change the same columns of several addresses; each row has its `id`."""
    if not rows:
        return
    names = [name for name in rows[0] if name != "id"]
    statement = (
        update(addresses)
        .where(addresses.c.id == bindparam("row_id"))
        .values({name: bindparam(f"new_{name}", type_=addresses.c[name].type) for name in names})
    )
    await work.run_many(
        statement, [{"row_id": row["id"], **{f"new_{name}": row[name] for name in names}} for row in rows]
    )
    await work.upsert_many(
        address_words, {"id"}, [{"id": row["id"], "words": each} for row, each in zip(rows, words, strict=True)]
    )


async def delete_addresses(work: UnitOfWork, ids: Collection[int], now: datetime, *, into: int | None = None) -> int:
    """Remove addresses from the book and return their number.

    `into` is the address that they were merged into.
    """
    count = await work.run(_delete, ids=list(ids), now=now, into=into)
    await work.run(_forget_words, ids=list(ids))
    return count


async def get_address_rows(
    work: UnitOfWork, ids: Collection[int], *, book: int | None = None, lock: bool = False
) -> dict[int, AddressRow]:
    """Addresses by id, of all books or of one; what is not there is absent."""
    if not ids:
        return {}
    rows = await work.all(_by_ids_locked if lock else _by_ids, AddressRow, ids=list(ids))
    return {row.id: row for row in rows if book is None or row.customer_id == book}


async def get_addresses_by_reference(work: UnitOfWork, references: Collection[str], book: int) -> dict[str, AddressRow]:
    """Return addresses of a book by reference."""
    if not references:
        return {}
    rows = await work.all(_by_references, AddressRow, references=list(references), book=book)
    return {row.reference: row for row in rows if row.reference}


async def list_addresses_at_places(
    work: UnitOfWork, keys: Collection[str], book: int | None = None
) -> list[AddressRow]:
    """The addresses at places, by their keys, of all books or of one."""
    if not keys:
        return []
    if book is None:
        return await work.all(_same_place, AddressRow, keys=list(keys))
    return await work.all(_same_place_in_book, AddressRow, keys=list(keys), book=book)


async def get_default_sender_rows(work: UnitOfWork, books: Collection[int]) -> dict[int, AddressRow]:
    """The default senders of some books, by book; a book without one is absent."""
    rows = await work.all(_default_senders, AddressRow, books=list(books))
    return {row.customer_id: row for row in rows}


async def clear_default_sender(work: UnitOfWork, book: int, *, except_id: int = 0) -> None:
    """Let no address of a book, or no other, be its default sender."""
    await work.run(_no_default_sender, book=book, except_id=except_id)


def _conditions(filters: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [_standing]
    conditions += [addresses.c[name] == filters[name] for name in ("country", "city") if filters.get(name)]
    if filters.get("located") is not None:
        conditions.append(addresses.c.lat.is_not(None) if filters["located"] else addresses.c.lat.is_(None))
    if filters.get("customer_id"):  # redundant condition that lets the partial index apply
        conditions += [
            addresses.c.customer_id == filters["customer_id"],
            addresses.c.customer_id != literal_column("0"),
        ]
    if filters.get("query"):
        conditions.append(addresses.c.id.in_(_found_ids))
    return conditions


async def list_address_page(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[list[AddressRow], int]:
    """Return a page of addresses by name, and their number up to `MAX_COUNT` + 1."""
    conditions = _conditions(filters)
    params: dict[str, Any] = {"query": filters["query"]} if filters.get("query") else {}
    page = select(addresses).where(*conditions).order_by(addresses.c.name, addresses.c.id).limit(limit).offset(offset)
    count = select(addresses.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    rows = await work.all(page, AddressRow, **params)
    return rows, await work.value(select(func.count()).select_from(count), **params)


async def list_addresses_after(
    work: UnitOfWork, filters: Mapping[str, Any], *, after: int, limit: int
) -> list[AddressRow]:
    """Addresses by id, from the one after `after`."""
    page: Select[Any] = select(addresses).where(*_conditions(filters), addresses.c.id > after)
    return await work.all(page.order_by(addresses.c.id).limit(limit), AddressRow)


async def search_addresses(work: UnitOfWork, query: Sequence[Collection[str]]) -> list[AddressRow]:
    """Addresses that have some words, in no order, at most `MAX_CANDIDATES`."""
    return await work.all(_found, AddressRow, query=query)


async def list_duplicate_keys(work: UnitOfWork, *, limit: int, offset: int) -> tuple[list[DuplicateKey], int]:
    """A page of what duplicates have in common, and how many groups there are."""
    keys = await work.all(_duplicate_page, DuplicateKey, page_size=limit, skipped=offset)
    return keys, await work.value(_duplicate_count)


imports = tenant_table(
    "address_import",
    Column("file_name", String(200)),
    Column("format", String(10), nullable=False),
    Column("mapping", Json, nullable=False),
    Column("check_only", Boolean, nullable=False),
    Column("document", LargeBinary),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("created_by", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
)
import_rows = tenant_table(
    "address_import_row",
    Column("import_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("reference", String(100)),
    Column("address_id", BigInteger),
    Column("fault", Json),
    Index("ix_address_import_row_number", "client_id", "import_id", "number"),
    Index("ix_address_import_row_state", "client_id", "import_id", "state"),
)
plain_columns(imports, "file_name", "format", "mapping")
plain_columns(import_rows, "state", "reference")
retained(
    RecordKind.ADDRESS_IMPORTS,
    imports.c.finished_at,
    children=(import_rows.c.import_id,),
    default_days=30,
    minimum_days=1,
)


class AddressImportLine(Row):
    """An import."""

    id: int
    file_name: str | None
    format: str
    mapping: dict[str, str]
    check_only: bool
    document: bytes | None
    total: int
    done: int
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class ImportOutcomeRow(Row):
    """The outcome of a row of a file."""

    number: int
    state: str
    reference: str | None
    address_id: int | None
    fault: list[dict[str, Any]] | None


_by_id = select(imports).where(imports.c.id == bindparam("import"))
_by_id_locked = _by_id.with_for_update()
_told = [column for column in imports.c if column.name != "document"]
_progress = select(*_told).where(imports.c.id == bindparam("import"))
_rows_page = (
    select(import_rows)
    .where(import_rows.c.import_id == bindparam("import"))
    .where(import_rows.c.number > bindparam("skipped"), import_rows.c.number <= bindparam("last"))
    .order_by(import_rows.c.number)
)
_rows_in_state = (
    select(import_rows)
    .where(import_rows.c.import_id == bindparam("import"), import_rows.c.state == bindparam("state"))
    .order_by(import_rows.c.number)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_counts = (
    select(import_rows.c.state, func.count().label("count"))
    .where(import_rows.c.import_id == bindparam("import"))
    .group_by(import_rows.c.state)
)


class ImportProgressRow(Row):
    """Progress of an import."""

    id: int
    file_name: str | None
    check_only: bool
    total: int
    done: int
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class StateCount(Row):
    """Number of rows in a state."""

    state: str
    count: int


async def insert_import(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write an import that is to run. Returns its id."""
    return await work.insert(imports, **values)


async def get_import_row(work: UnitOfWork, import_id: int, *, lock: bool = False) -> AddressImportLine | None:
    """An import with its document, or None."""
    return await work.first(_by_id_locked if lock else _by_id, AddressImportLine, **{"import": import_id})


async def get_import_progress(work: UnitOfWork, import_id: int) -> ImportProgressRow | None:
    """An import without its document, or None."""
    return await work.first(_progress, ImportProgressRow, **{"import": import_id})


async def update_import(work: UnitOfWork, import_id: int, **values: Any) -> None:
    """Change columns of an import."""
    await work.run(update(imports).where(imports.c.id == bindparam("import")).values(**values), **{"import": import_id})


async def insert_import_outcomes(work: UnitOfWork, import_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the outcomes of rows.

    Each has `number`, `state`, `reference`, `address_id` and `fault`.
    """
    await work.insert_many(import_rows, [{"import_id": import_id, **row} for row in rows])


async def list_import_outcomes(
    work: UnitOfWork, import_id: int, state: str | None, *, limit: int, offset: int
) -> list[ImportOutcomeRow]:
    """Outcomes by number, all or those in a state."""
    given: dict[str, Any] = {"import": import_id, "skipped": offset}
    if state:
        return await work.all(_rows_in_state, ImportOutcomeRow, **given, state=state, page_size=limit)
    return await work.all(_rows_page, ImportOutcomeRow, **given, last=offset + limit)


async def count_import_outcomes(work: UnitOfWork, import_id: int) -> dict[str, int]:
    """Return the number of rows by final state."""
    return {row.state: row.count for row in await work.all(_counts, StateCount, **{"import": import_id})}


spellings = tenant_table(
    "address_spelling",
    Column("spelling_key", String(MAX_LETTERS), nullable=False),
    Column("word", String(MAX_LETTERS), nullable=False),
    UniqueConstraint("client_id", "spelling_key", "word"),
)
spellings.info["derived"] = True


def _of_person(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition for the words of a person's names.

    Other people with the same name are still found, but only by exact spelling.
    """
    words = fold_words(*(str(name) for name in keys.get(PersonKey.NAME, ())))
    return spellings.c.word.in_(words) if words else None


personal_data(spellings, RecordKind.ADDRESS_BOOK, find=_of_person)

_words = select(spellings.c.spelling_key, spellings.c.word).where(in_param(spellings.c.spelling_key, "keys"))


class SpellingRow(Row):
    """A word under one of its keys."""

    spelling_key: str
    word: str


async def find_spellings(work: UnitOfWork, keys: Collection[str]) -> list[SpellingRow]:
    """The words under some keys."""
    return await work.all(_words, SpellingRow, keys=list(keys)) if keys else []


async def insert_words_of_address(work: UnitOfWork, words: Collection[str]) -> None:
    """Keep the words that are not known yet."""
    known = {row.word for row in await find_spellings(work, words) if row.word == row.spelling_key}
    rows = [{"spelling_key": key, "word": word} for word in sorted({*words} - known) for key in spelling_keys(word)]
    await work.insert_new(spellings, rows)
