"""Request and response models of the address book."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.places.ports import Quality
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.confidential import Confidential
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, EmailText, Latitude, Longitude, OneLine, RecordId
from haulier.kernel.operations.ids import AddressId, AddressImportId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_uploads import TableUpload

TEXT_MAX = 200
NOTES_MAX = 2000
CODE_MAX = 50
MAX_MERGED = 50
QUERY_MAX = 200
MAX_FOUND = 50
MAX_EXPORTED = 50_000
"""Addresses in one export; a larger book is exported a country or a city at a time."""
ShortText = Annotated[str, StringConstraints(max_length=TEXT_MAX, pattern=NO_NUL)]
NeededText = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_MAX, pattern=NO_NUL)]
NeededName = Annotated[NeededText, OneLine]
LongText = Annotated[str, StringConstraints(max_length=NOTES_MAX, pattern=NO_NUL)]
PhoneText = Annotated[str, StringConstraints(max_length=CODE_MAX, pattern=NO_NUL)]
PostalCode = Annotated[str, StringConstraints(max_length=20, pattern=NO_NUL)]
QueryText = Annotated[str, Field(min_length=1, max_length=QUERY_MAX, pattern=NO_NUL)]


class _OptionalParts(Request):
    """The parts of an address that may be left out."""

    company: Annotated[ShortText, OneLine] | None = Field(default=None, examples=["Analytical Engines Ltd"])
    """The business at the address, where `name` is a person."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor, suite."""
    region: ShortText | None = Field(default=None, examples=["ON"])
    """Province or state, by code or name; a name that the country has a code for becomes the code."""
    postal_code: PostalCode | None = Field(default=None, examples=["M5V 2T6"])
    """Postal code; it is written as the country writes it."""
    phone: PhoneText | None = Field(default=None, examples=["+14165550100"])
    """The phone number, for the driver."""
    email: EmailText | None = Field(default=None, examples=["ada@example.com"])
    """The e-mail address, for news about orders."""
    lat: Latitude | None = Field(default=None, examples=[43.65])
    """Latitude in degrees, WGS 84. Without coordinates the address is located by itself, in the background."""
    lng: Longitude | None = Field(default=None, examples=[-79.38])
    """Longitude in degrees, WGS 84."""
    access_notes: LongText | None = Field(default=None, examples=["Ring twice; deliveries at the back."])
    """How to get in and where to leave parcels."""
    gate_code: Annotated[str, StringConstraints(max_length=CODE_MAX, pattern=NO_NUL), Confidential] | None = Field(
        default=None, examples=["1234#"]
    )
    """The code of the gate or door. Lists, searches and exports say only that there is one."""
    reference: Annotated[str, StringConstraints(max_length=100, pattern=NO_NUL)] | None = Field(
        default=None, examples=["SHOP-17"]
    )
    """What your own system calls the address, unique in the book. An import finds the address by it."""


class CreateAddress(_OptionalParts):
    """A person or business at a place."""

    name: NeededName = Field(examples=["Ada Lovelace"])
    """The name of the person or business."""
    address: NeededText = Field(examples=["100 Queen St W"])
    """Street and number."""
    city: NeededText = Field(examples=["Toronto"])
    """The city."""
    country: CountryCode = Field(examples=["CA"])
    """ISO 3166-1 alpha-2."""
    default_sender: bool = False
    """Whether it is where parcels are sent from unless an order says otherwise. The former default sender stays an address."""

    @model_validator(mode="after")
    def _has_both_coordinates(self) -> "CreateAddress":
        if (self.lat is None) != (self.lng is None):
            raise PydanticCustomError("coordinates_together", "lat and lng go together")
        return self


class UpdateAddress(_OptionalParts):
    """Changes to an address. Omitted fields are unchanged; null clears a field."""

    address_id: RecordId
    name: NeededName | None = Field(default=None, examples=["Ada Lovelace"])
    """The name of the person or business."""
    address: NeededText | None = Field(default=None, examples=["100 Queen St W"])
    """Street and number."""
    city: NeededText | None = Field(default=None, examples=["Toronto"])
    """The city."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """ISO 3166-1 alpha-2."""
    default_sender: bool | None = None
    """Whether it is where parcels are sent from unless an order says otherwise."""

    @model_validator(mode="after")
    def _empties_only_what_may_be_empty(self) -> "UpdateAddress":
        needed = {"name", "address", "city", "country", "default_sender"} & self.model_fields_set
        if any(getattr(self, field) is None for field in needed):
            raise PydanticCustomError("part_needed", "name, address, city, country and default_sender cannot be empty")
        if ("lat" in self.model_fields_set) != ("lng" in self.model_fields_set) or (self.lat is None) != (
            self.lng is None
        ):
            raise PydanticCustomError("coordinates_together", "lat and lng go together")
        return self


class AddressRef(Request):
    """Reference to an address."""

    address_id: RecordId


class ListAddresses(PageRequest):
    """Filters and page of an address list."""

    query: QueryText | None = Field(default=None, examples=["queen toronto"])
    """Beginnings of words of the address, in any order; accents and capitals do not matter."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Only of this country."""
    city: ShortText | None = Field(default=None, examples=["Toronto"])
    """Only of this city, exactly as it is written."""
    located: bool | None = None
    """Only those with coordinates (true), or without (false)."""
    customer_id: RecordId | None = None
    """Only of this customer's own book; left out, the office sees all."""


class ExportAddresses(Request):
    """Filters and format of an address export."""

    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Only of this country."""
    city: ShortText | None = Field(default=None, examples=["Toronto"])
    """Only of this city, exactly as it is written."""
    format: Literal["csv", "xlsx"] = "csv"
    """The form of the document."""


class SearchAddress(Request):
    """Partial input to search for."""

    query: QueryText = Field(examples=["queen w tor"])
    """Beginnings of words, in any order: of a name, street, city, postal code, reference or telephone number."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Only addresses of this country."""
    limit: int = Field(default=10, ge=1, le=MAX_FOUND)
    """Maximum number of results."""
    customer_id: RecordId | None = None
    """Only of this customer's own book; left out, the office searches all."""


class MergeAddresses(AddressRef):
    """The address to keep, and those that are the same."""

    duplicate_ids: Annotated[list[AddressId], Field(min_length=1, max_length=MAX_MERGED)]
    """Addresses that the kept one takes the place of. What it lacks it takes from them, in this order."""


class AddressWarningRecord(Answer):
    """Something odd about an address that was taken all the same."""

    field: Annotated[str, doc("Which part.", "postal_code")]
    code: Annotated[str, doc("missing, unlikely, duplicate, or a code beginning with coordinates_.", "unlikely")]
    message: Annotated[str, doc("What is odd, in the caller's language.")]
    address_id: Annotated[int | None, doc("The address that seems to be the same one.")] = None


class AddressRecord(Answer):
    """A person or business at a place."""

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
    quality: Annotated[
        Quality | None,
        doc("How exact the coordinates are: pin, rooftop, street, postal_code or town. Null without coordinates."),
    ]
    access_notes: str | None
    has_gate_code: Annotated[bool, doc("Whether a gate code is kept; `get_address` shows it to the office.")]
    reference: str | None
    default_sender: bool
    customer_id: Annotated[int | None, doc("In which customer's own book it is; null for the business's.")]
    updated_at: datetime


class AddressDetail(AddressRecord):
    """A person or business at a place, whole."""

    gate_code: Annotated[
        str | UnsetType | None, doc("The code of the gate; absent where the caller may not see it.")
    ] = UNSET
    lines: Annotated[list[str], doc("The address as it stands on a letter in its country.")]


class AddressAnswer(Answer):
    """One address."""

    result: bool = True
    address: AddressDetail
    warnings: Annotated[list[AddressWarningRecord], doc("What is odd about it.")] = []


class AddressList(PagedAnswer):
    """A page of addresses, by name."""

    addresses: list[AddressRecord]


class DefaultSender(Answer):
    """Where parcels are sent from unless an order says otherwise."""

    result: bool = True
    address: Annotated[AddressDetail | None, doc("Null while no address is the default sender.")]


class DuplicateGroup(Answer):
    """Addresses that seem to be the same: one place, and one name."""

    addresses: list[AddressRecord]


class DuplicateList(PagedAnswer):
    """A page of groups of duplicates."""

    groups: list[DuplicateGroup]


class AddressExport(Answer):
    """Addresses as a document."""

    result: bool = True
    total: Annotated[int, doc("Addresses in the document.")]
    document: Annotated[str, doc("The document, in base64.")]
    media_type: Annotated[str, doc("Its media type.", "text/csv")] = "text/csv"


class FoundAddress(Answer):
    """An address that was found."""

    source: Annotated[str, doc("address_book, or open_data for an address of an imported open file.", "address_book")]
    address_id: Annotated[int | None, doc("The address of the book; null for open data.")]
    customer_id: Annotated[
        int | None, doc("In which customer's own book it is; null for the business's and open data.")
    ]
    name: str | None
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
    quality: Annotated[Quality | None, doc("How exact the coordinates are.")]
    text: Annotated[str, doc("The address in one line.")]


class FoundAddresses(Answer):
    """Matching addresses, best first."""

    result: bool = True
    addresses: list[FoundAddress]
    corrected: Annotated[
        str | None, doc("The query that was searched instead, where nothing was found as it was typed.")
    ] = None


MAX_FILE_BYTES = 15_000_000
MAX_FILE_TEXT = MAX_FILE_BYTES * 4 // 3 + 4
MAX_IMPORT_ROWS = 200_000
ImportState = Literal["created", "updated", "unchanged", "duplicate", "refused"]
ColumnName = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL)]
AddressField = Literal[
    "name",
    "company",
    "address",
    "unit",
    "city",
    "region",
    "postal_code",
    "country",
    "phone",
    "email",
    "lat",
    "lng",
    "access_notes",
    "gate_code",
    "reference",
]


class ImportAddresses(TableUpload):
    """A table of addresses."""

    file_field: ClassVar[str] = "document"

    document: Annotated[
        str,
        Field(
            min_length=4,
            max_length=MAX_FILE_TEXT,
            repr=False,
            exclude=True,
            examples=["bmFtZSxhZGRyZXNzLGNpdHksY291bnRyeQpBZGEsMTAwIFF1ZWVuIFN0IFcsVG9yb250byxDQQ=="],
            json_schema_extra={"contentEncoding": "base64"},
        ),
    ]
    """The file in base64, or a CSV as text: at most 15 MB and 200,000 rows below a header."""
    format: Literal["csv", "xlsx"] = "csv"
    """CSV in any common form, or XLSX, whose first sheet is read."""
    file_name: Annotated[str, Field(max_length=200, pattern=NO_NUL)] | None = Field(
        default=None, examples=["customers.csv"]
    )
    """What the file is called, to tell imports apart."""
    mapping: Annotated[dict[AddressField, ColumnName], Field(max_length=20, examples=[{"name": "Customer"}])] = {}
    """For each field the column that holds it. A column that is called like a field needs no mention."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """The country of rows that name none, ISO 3166-1 alpha-2."""
    check_only: bool = False
    """Say what would become of each row, and change nothing."""


class ImportRef(Request):
    """Reference to an import."""

    import_id: AddressImportId


class GetAddressImport(PageRequest):
    """Reference to an import, and a page of its rows."""

    import_id: AddressImportId
    state: ImportState | None = None
    """Only rows that ended so."""


class ImportStarted(Answer):
    """Where to read the import."""

    result: bool = True
    import_id: Annotated[AddressImportId, doc("Read it with GET /v1/address-imports/{import_id}.")]
    total: Annotated[int, doc("Rows in the file.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for XLSX.", "utf-8")] = None


class AddressImportFieldError(Answer):
    """One thing wrong with one field of a row."""

    field: Annotated[str, doc("The field.", "city")]
    code: Annotated[str, doc("What is wrong, for programs.", "MISSING")]
    message: Annotated[str, doc("What is wrong, in the caller's language.")]


class AddressImportOutcome(Answer):
    """Outcome of a row."""

    number: Annotated[int, doc("The row, from 1 below the header.")]
    state: Annotated[str, doc("created, updated, unchanged, duplicate or refused.", "created")]
    reference: str | None
    address_id: Annotated[int | None, doc("The address; of a duplicate, the one that is there already.")]
    errors: Annotated[list[AddressImportFieldError], doc("Why the row was refused.")] = []
    warnings: Annotated[
        list[AddressImportFieldError], doc("Repairs of the row to check, such as leading zeros of a postal code.")
    ] = []


class AddressImportResult(PagedAnswer):
    """Progress of an import, and a page of its rows."""

    import_id: AddressImportId
    file_name: str | None
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.", "done")]
    check_only: bool
    rows: Annotated[int, doc("Rows in the file.")]
    done: Annotated[int, doc("Rows that were processed.")]
    created: int
    updated: int
    unchanged: int
    duplicates: Annotated[int, doc("Rows whose address is in the book already, or earlier in the file.")]
    refused: int
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[AddressImportOutcome]
