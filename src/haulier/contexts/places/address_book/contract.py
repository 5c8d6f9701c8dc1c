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
"""Maximum number of addresses in an export. Export a larger book by country or city."""
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
    """Business at the address, if `name` is a person."""
    unit: ShortText | None = Field(default=None, examples=["Suite 4"])
    """Flat, floor or suite."""
    region: ShortText | None = Field(default=None, examples=["ON"])
    """Province or state, by code or name. Stored as a code if the country has one."""
    postal_code: PostalCode | None = Field(default=None, examples=["M5V 2T6"])
    """Postal code. Stored in the notation of the country."""
    phone: PhoneText | None = Field(default=None, examples=["+14165550100"])
    """Phone number for the driver."""
    email: EmailText | None = Field(default=None, examples=["ada@example.com"])
    """Email for order notifications."""
    lat: Latitude | None = Field(default=None, examples=[43.65])
    """Latitude in decimal degrees (WGS 84). Addresses without coordinates are located in the background."""
    lng: Longitude | None = Field(default=None, examples=[-79.38])
    """Longitude in decimal degrees (WGS 84)."""
    access_notes: LongText | None = Field(default=None, examples=["Ring twice; deliveries at the back."])
    """Access notes, and where to leave parcels."""
    gate_code: Annotated[str, StringConstraints(max_length=CODE_MAX, pattern=NO_NUL), Confidential] | None = Field(
        default=None, examples=["1234#"]
    )
    """Gate or door code. Lists, searches and exports only show whether one is stored."""
    reference: Annotated[str, StringConstraints(max_length=100, pattern=NO_NUL)] | None = Field(
        default=None, examples=["SHOP-17"]
    )
    """Reference in your own system, unique in the book. Imports find the address by it."""


class CreateAddress(_OptionalParts):
    """A person or business at a place."""

    name: NeededName = Field(examples=["Ada Lovelace"])
    """Name of the person or business."""
    address: NeededText = Field(examples=["100 Queen St W"])
    """Street and house number."""
    city: NeededText = Field(examples=["Toronto"])
    """City."""
    country: CountryCode = Field(examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""
    default_sender: bool = False
    """If true, this is the default sender of orders. The former default sender remains in the book."""

    @model_validator(mode="after")
    def _has_both_coordinates(self) -> "CreateAddress":
        if (self.lat is None) != (self.lng is None):
            raise PydanticCustomError("coordinates_together", "lat and lng go together")
        return self


class UpdateAddress(_OptionalParts):
    """Changes to an address. Omitted fields are unchanged; null clears a field."""

    address_id: RecordId
    name: NeededName | None = Field(default=None, examples=["Ada Lovelace"])
    """Name of the person or business."""
    address: NeededText | None = Field(default=None, examples=["100 Queen St W"])
    """Street and house number."""
    city: NeededText | None = Field(default=None, examples=["Toronto"])
    """City."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Country code (ISO 3166-1 alpha-2)."""
    default_sender: bool | None = None
    """If true, this is the default sender of orders."""

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

    search: QueryText | None = Field(default=None, examples=["queen toronto"])
    """Prefixes of words of the address in any order, ignoring accents and case."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Filter by country (ISO 3166-1 alpha-2)."""
    city: ShortText | None = Field(default=None, examples=["Toronto"])
    """Filter by city, with the exact spelling."""
    located: bool | None = None
    """Filter by whether the address has coordinates."""
    customer_id: RecordId | None = None
    """Customer whose book is listed. Default: all books for staff."""


class ExportAddresses(Request):
    """Filters and format of an address export."""

    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Filter by country (ISO 3166-1 alpha-2)."""
    city: ShortText | None = Field(default=None, examples=["Toronto"])
    """Filter by city, with the exact spelling."""
    format: Literal["csv", "xlsx"] = "csv"
    """Format of the document."""


class SearchAddress(Request):
    """Partial input to search for."""

    search: QueryText = Field(examples=["queen w tor"])
    """Prefixes of words in any order, in a name, street, city, postal code, reference or phone number."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Filter by country (ISO 3166-1 alpha-2)."""
    limit: int = Field(default=10, ge=1, le=MAX_FOUND)
    """Maximum number of results."""
    customer_id: RecordId | None = None
    """Customer whose book is searched. Default: all books for staff."""
    towns: bool = False
    """If true, also return the town that the text names if no address matches. Requires `country`."""


class FindNearestAddress(Request):
    """A place on the map."""

    lat: Latitude = Field(examples=[43.6532])
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude = Field(examples=[-79.3832])
    """Longitude in decimal degrees (WGS 84)."""


class NearestAddress(Answer):
    """The nearest address."""

    result: bool = True
    address: Annotated["FoundAddress | None", doc("The address; null if none is within 250 metres.")]
    distance_m: Annotated[int | None, doc("Distance to it in metres.", "12")]


class MergeAddresses(AddressRef):
    """The address to keep, and those that are the same."""

    duplicate_ids: Annotated[list[AddressId], Field(min_length=1, max_length=MAX_MERGED)]
    """Duplicates to merge into the remaining address. They fill its missing values, in this order."""


class AddressWarningRecord(Answer):
    """A warning about an address that was accepted."""

    field: Annotated[str, doc("Part of the address.", "postal_code")]
    code: Annotated[str, doc("One of missing, unlikely, duplicate, or a code beginning with coordinates_.", "unlikely")]
    message: Annotated[str, doc("Warning in the caller's language.")]
    address_id: Annotated[int | None, doc("Possible duplicate.")] = None


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
        doc("Precision of the coordinates: pin, rooftop, street, postal_code or town. Null without coordinates."),
    ]
    access_notes: str | None
    has_gate_code: Annotated[bool, doc("True if a gate code is stored. `get_address` shows it to staff.")]
    reference: str | None
    default_sender: bool
    customer_id: Annotated[int | None, doc("Customer whose book contains the address; null for the business.")]
    updated_at: datetime


class AddressDetail(AddressRecord):
    """A person or business at a place, whole."""

    gate_code: Annotated[str | UnsetType | None, doc("Gate code; absent if the caller may not see it.")] = UNSET
    lines: Annotated[list[str], doc("Address lines in the postal format of the country.")]


class AddressAnswer(Answer):
    """One address."""

    result: bool = True
    address: AddressDetail
    warnings: Annotated[list[AddressWarningRecord], doc("Warnings about the address.")] = []


class AddressList(PagedAnswer):
    """A page of addresses, by name."""

    addresses: list[AddressRecord]


class DefaultSender(Answer):
    """Where parcels are sent from unless an order says otherwise."""

    result: bool = True
    address: Annotated[AddressDetail | None, doc("Default sender; null if there is none.")]


class DuplicateGroup(Answer):
    """Addresses that seem to be the same: one place, and one name."""

    addresses: list[AddressRecord]


class DuplicateList(PagedAnswer):
    """A page of groups of duplicates."""

    groups: list[DuplicateGroup]


class AddressExport(Answer):
    """Addresses as a document."""

    result: bool = True
    total: Annotated[int, doc("Number of addresses in the document.")]
    document: Annotated[str, doc("Document in base64.")]
    media_type: Annotated[str, doc("Media type of the document.", "text/csv")] = "text/csv"


class FoundAddress(Answer):
    """An address that was found."""

    source: Annotated[
        str, doc("Source: address_book, open_data for an imported open data file, or towns.", "address_book")
    ]
    address_id: Annotated[int | None, doc("Address in the book; null for open data.")]
    customer_id: Annotated[
        int | None, doc("Customer whose book contains the address; null for the business and open data.")
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
    quality: Annotated[Quality | None, doc("Precision of the coordinates.")]
    text: Annotated[str, doc("Address in one line.")]


class FoundAddresses(Answer):
    """Matching addresses, best first."""

    result: bool = True
    addresses: list[FoundAddress]
    corrected: Annotated[str | None, doc("Corrected query, if the original one had no results.")] = None


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
    """File in base64, or CSV as text. At most 15 MB and 200,000 rows below the header."""
    format: Literal["csv", "xlsx"] = "csv"
    """File format: CSV in any common form, or XLSX (first sheet)."""
    file_name: Annotated[str, Field(max_length=200, pattern=NO_NUL)] | None = Field(
        default=None, examples=["customers.csv"]
    )
    """Name of the file, shown with the import."""
    mapping: Annotated[dict[AddressField, ColumnName], Field(max_length=20, examples=[{"name": "Customer"}])] = {}
    """Column of each field. Columns named like a field are mapped automatically."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Country of rows without one (ISO 3166-1 alpha-2)."""
    check_only: bool = False
    """If true, return the outcome of each row without changing anything."""


class ImportRef(Request):
    """Reference to an import."""

    import_id: AddressImportId


class GetAddressImport(PageRequest):
    """Reference to an import, and a page of its rows."""

    import_id: AddressImportId
    state: ImportState | None = None
    """Filter by outcome."""


class ImportStarted(Answer):
    """Where to read the import."""

    result: bool = True
    import_id: Annotated[AddressImportId, doc("ID of the import. Read it with GET /v1/address-imports/{import_id}.")]
    total: Annotated[int, doc("Number of rows in the file.")]
    encoding: Annotated[str | None, doc("Character encoding of the CSV; null for XLSX.", "utf-8")] = None


class AddressImportFieldError(Answer):
    """One thing wrong with one field of a row."""

    field: Annotated[str, doc("Field of the error.", "city")]
    code: Annotated[str, doc("Machine-readable reason.", "MISSING")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class AddressImportOutcome(Answer):
    """Outcome of a row."""

    number: Annotated[int, doc("Row number, starting at 1 below the header.")]
    state: Annotated[str, doc("Outcome: created, updated, unchanged, duplicate or refused.", "created")]
    reference: str | None
    address_id: Annotated[int | None, doc("Address of the row; for a duplicate, the existing address.")]
    errors: Annotated[list[AddressImportFieldError], doc("Reasons for the refusal.")] = []
    warnings: Annotated[
        list[AddressImportFieldError], doc("Repairs of the row to check, such as leading zeros of a postal code.")
    ] = []


class AddressImportResult(PagedAnswer):
    """Progress of an import, and a page of its rows."""

    import_id: AddressImportId
    file_name: str | None
    state: Annotated[str, doc("One of queued, running, done, partly_done, failed or cancelled.", "done")]
    check_only: bool
    rows: Annotated[int, doc("Number of rows in the file.")]
    done: Annotated[int, doc("Number of processed rows.")]
    created: int
    updated: int
    unchanged: int
    duplicates: Annotated[int, doc("Number of rows whose address is already in the book or earlier in the file.")]
    refused: int
    created_at: datetime
    finished_at: datetime | None
    outcomes: list[AddressImportOutcome]
