"""Request and response models of campaigns: contacts."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from haulier.contexts.identity.fields import Language, TimeZone, validate_phone
from haulier.contexts.messaging.campaigns.rules.sms_regulations import ConsentBasis, MessagePurpose
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, OneLine, Reason, RecordId
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.moments import Moment, TimeOfDay
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_uploads import TableUpload

SmsPhone = Annotated[str, Field(max_length=50, examples=["+14165550123"]), AfterValidator(validate_phone)]
SmsTag = Annotated[
    str, Field(min_length=1, max_length=40, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$", examples=["vip"])
]
SmsTags = Annotated[list[SmsTag], Field(max_length=20)]
VariableName = Annotated[str, Field(max_length=30, pattern="^[a-z][a-z0-9_]*$")]
VariableValue = Annotated[str, Field(max_length=100, pattern=NO_NUL)]
SmsVariables = Annotated[dict[VariableName, VariableValue], Field(max_length=20, examples=[{"city": "Toronto"}])]
Proof = Annotated[
    dict[VariableName, Annotated[str, Field(max_length=300, pattern=NO_NUL)]],
    Field(max_length=10, examples=[{"form": "checkout", "ip": "203.0.113.7"}]),
]
Country = Annotated[str, Field(pattern="^[A-Z]{2}$", examples=["CA"])]


class ConsentMethod(StrEnum):
    """Method of giving or revoking consent."""

    WEB_FORM = "web_form"
    PAPER = "paper"
    PHONE_CALL = "phone_call"
    IN_PERSON = "in_person"
    EMAIL = "email"
    TEXT = "text"
    OTHER = "other"


class ConsentGiven(Request):
    """Consent and its evidence."""

    purpose: MessagePurpose = MessagePurpose.MARKETING
    """Purpose of the consent. Each purpose needs its own consent."""
    basis: ConsentBasis
    """Legal basis of the consent. It must be accepted in the number's country."""
    method: ConsentMethod
    """Method of giving consent."""
    wording: str = Field(
        min_length=1, max_length=1000, pattern=NO_NUL, examples=["Yes, text me offers. Up to 4 a month; STOP ends it."]
    )
    """Exact wording that was shown or read to the contact."""
    source: str | None = Field(default=None, max_length=120, pattern=NO_NUL, examples=["Checkout, May 2026"])
    """Source of the consent, such as a form, campaign or shop."""
    occurred_at: Moment | None = None
    """Time of the consent. Defaults to now."""
    expires_at: Moment | None = None
    """Expiry of the consent. Implied consents also expire by law."""
    proof: Proof = {}
    """Further evidence, such as the IP address of the browser."""


class CreateSmsContact(Request):
    """Contact who can receive SMS messages after consenting."""

    phone: SmsPhone
    """Phone number with country code. Cannot be changed; another number is another contact."""
    name: Name | None = None
    """Name of the contact."""
    language: Language = "en"
    """Language of messages to the contact."""
    time_zone: TimeZone | None = None
    """Time zone of the contact. If omitted, messages wait until all time zones of the number's country permit them."""
    tags: SmsTags = []
    """Tags for segments."""
    variables: SmsVariables = {}
    """Variables available in message texts."""
    source: str | None = Field(default=None, max_length=120, pattern=NO_NUL)
    """Source of the contact."""
    consents: list[ConsentGiven] = Field(default=[], max_length=4)
    """Consents of the contact."""


class SmsContactRef(Request):
    """Reference to a contact."""

    sms_contact_id: RecordId
    """ID of the contact."""


class GetSmsContact(SmsContactRef, PageRequest):
    """Contact, and a page of its consents."""


class UpdateSmsContact(SmsContactRef):
    """Changes to a contact. Omitted fields stay as they are."""

    name: Name | None = None
    """Name of the contact."""
    language: Language | None = None
    """Language of messages to the contact."""
    time_zone: TimeZone | None = None
    """Time zone of the contact."""
    tags: SmsTags | None = None
    """Complete list of tags, replacing the existing ones."""
    variables: SmsVariables | None = None
    """Complete set of variables, replacing the existing ones."""


class ListSmsContacts(PageRequest):
    """Filters of contacts."""

    search: str | None = Field(default=None, min_length=2, max_length=60, pattern=NO_NUL)
    """Search in name and number."""
    tag: SmsTag | None = None
    """Filter by tag."""
    language: Language | None = None
    """Filter by language."""
    country: Country | None = None
    """Filter by country of the number."""


class RecordSmsConsent(SmsContactRef, ConsentGiven):
    """Consent of a contact."""


class RevokeSmsConsent(SmsContactRef):
    """Revocation of a contact's consent."""

    purpose: MessagePurpose | None = None
    """Purpose of the revoked consent. Defaults to all purposes."""
    method: ConsentMethod
    """Method of the revocation."""
    wording: str | None = Field(default=None, max_length=1000, pattern=NO_NUL)
    """Wording of the revocation."""
    occurred_at: Moment | None = None
    """Time of the revocation. Defaults to now."""


class SmsConsentRecord(Answer):
    """Consent or revocation."""

    id: int
    granted: Annotated[bool, doc("True for a consent, false for a revocation.")]
    purpose: MessagePurpose
    basis: ConsentBasis | None
    method: Annotated[str, doc("Method: web_form, paper, phone_call, in_person, email, text or other.")]
    wording: str | None
    source: str | None
    proof: Mapping[str, str]
    occurred_at: Annotated[datetime, doc("Time of the consent or revocation.")]
    expires_at: datetime | None
    recorded_at: Annotated[datetime, doc("Time of the recording.")]


class SmsPermission(Answer):
    """Permission to send messages of one purpose to a contact."""

    purpose: MessagePurpose
    consented: Annotated[bool, doc("If true, a valid consent for the number's country is in force.")]
    suppressed: Annotated[bool, doc("If true, the number is on a suppression list.")]
    allowed: Annotated[bool, doc("If true, the contact consented and is not suppressed.")]


class SmsContactRecord(Answer):
    """SMS contact."""

    id: int
    phone: str
    country: str
    name: str | None
    language: str
    time_zone: str | None
    tags: list[str]
    variables: Mapping[str, str]
    source: str | None
    permissions: Annotated[list[SmsPermission], doc("Permission for each purpose.")]
    created_at: datetime
    updated_at: datetime


class SmsContactAnswer(Answer):
    """Single contact."""

    result: bool = True
    contact: SmsContactRecord


class SmsContactDetail(PagedAnswer):
    """Contact, with a page of consents and revocations, newest first."""

    contact: SmsContactRecord
    consents: list[SmsConsentRecord]


class SmsContactList(PagedAnswer):
    """A page of contacts, newest first."""

    contacts: list[SmsContactRecord]


MAX_SMS_IMPORT_ROWS = 50_000


class ImportSmsContacts(TableUpload):
    """Table of contacts whose first row contains the column names."""

    format: Literal["csv", "xlsx"] = "csv"
    """Format of the file."""
    content: str = Field(
        min_length=1, max_length=15_000_000, repr=False, exclude=True, examples=["phone,name\n+14165550123,Ann\n"]
    )
    """The file as text or in base64; an XLSX in base64. Columns: phone, name, language, time_zone, tags (with commas between),
    source, and consent_purpose, consent_basis, consent_method, consent_wording, consent_source, consent_at; any other is a
    variable. It is not written into the audit trail, and has 50,000 rows at most."""
    consent: ConsentGiven | None = None
    """Consent to record for rows without consent columns. Contacts without any consent get no messages."""
    check_only: bool = False
    """If true, check each row by the rules of the import without writing anything."""


class SmsImportRef(Request):
    """Reference to an import."""

    sms_import_id: RecordId
    """ID of the import."""


class GetSmsImport(SmsImportRef, PageRequest):
    """Import, and a page of its outcomes."""

    state: ImportRowState | None = None
    """Filter by row state."""


class ListSmsImports(PageRequest):
    """Page of imports to list."""


class SmsImportFieldError(Answer):
    """Validation error of a field in a row."""

    field: Annotated[str, doc("Name of the field.", "phone")]
    code: Annotated[str, doc("Error code.", "PHONE_NOT_INTERNATIONAL")]
    message: Annotated[str, doc("Error message in the caller's language.")]


class SmsImportOutcome(Answer):
    """Outcome of a row."""

    number: Annotated[int, doc("Row number in the file, from 1.")]
    phone: Annotated[str | None, doc("Phone number as given in the row.")]
    state: Annotated[str, doc("State: queued, created, updated, refused or cancelled.")]
    record: Annotated[str | None, doc("ID of the contact; null where a check would create one.")]
    code: Annotated[str | None, doc("Error code of a refused row.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Error message of a refused row in the caller's language.")] = None
    errors: Annotated[list[SmsImportFieldError], doc("Validation errors by field.")] = []


class SmsImportRecord(Answer):
    """Import and its progress."""

    id: int
    check_only: Annotated[bool, doc("If true, rows were only checked and nothing was written.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for XLSX.", "utf-8")]
    state: Annotated[str, doc("State: queued, running, done, partly_done, failed or cancelled.")]
    rows: Annotated[int, doc("Number of rows in the file.")]
    done: Annotated[int, doc("Number of processed rows.")]
    created: int
    updated: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class SmsImportAnswer(Answer):
    """New import."""

    result: bool = True
    sms_import: SmsImportRecord


class SmsImportDetail(PagedAnswer):
    """Import, with a page of its outcomes."""

    sms_import: SmsImportRecord
    outcomes: list[SmsImportOutcome]


class SmsImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[SmsImportRecord]


SegmentPrice = Annotated[int, Field(ge=0, le=10_000_000)]


class SetSmsMarketingSettings(Request):
    """Settings for all SMS messages of the business."""

    business_name: Annotated[str, OneLine] = Field(
        min_length=2, max_length=40, pattern=NO_NUL, examples=["Demo Parcels"]
    )
    """Sender name in marketing messages. It is prepended to texts that do not contain it."""
    help_contact: str = Field(min_length=3, max_length=80, pattern=NO_NUL, examples=["help@demo.example"])
    """Contact sent in reply to HELP, such as a phone number or an email address."""
    quiet_from: TimeOfDay | None = None
    """Start of quiet hours in the recipient's time zone, in addition to the legal hours of their country."""
    quiet_until: TimeOfDay | None = None
    """End of quiet hours."""
    throttle_per_minute: int = Field(default=60, ge=1, le=60_000)
    """Maximum number of messages per minute, across all campaigns."""
    daily_cap: int = Field(default=10_000, ge=1, le=1_000_000)
    """Maximum number of messages per day in the business's time zone."""
    contact_daily_cap: int = Field(default=1, ge=1, le=20)
    """Maximum number of messages to one number in 24 hours. Further messages wait."""
    segment_prices: dict[Country, SegmentPrice] = Field(default={}, max_length=250, examples=[{"CA": 7900}])
    """Price per segment by country, in millionths of the business's currency."""
    default_segment_price: SegmentPrice = 0
    """Price per segment in all other countries."""
    us_registration: str | None = Field(default=None, max_length=40, pattern="^[A-Za-z0-9_-]+$", examples=["CXXXXXX"])
    """Registered campaign ID of the sender (10DLC). Required for campaigns to US numbers."""


class SmsMarketingSettings(Answer):
    """Settings for all SMS messages of the business."""

    business_name: str
    help_contact: str
    quiet_from: Annotated[str | None, doc("Start of quiet hours in the recipient's time zone.", "21:00:00")]
    quiet_until: str | None
    throttle_per_minute: int
    daily_cap: int
    contact_daily_cap: int
    segment_prices: Annotated[Mapping[str, int], doc("Price per segment by country, in millionths of the currency.")]
    default_segment_price: Annotated[int, doc("Price per segment in all other countries.")]
    currency: str
    us_registration: str | None
    events_path: Annotated[
        str, doc("Path to which the provider sends receipts and replies.", "/api/v1/sms-events/u2Fy0c")
    ]
    updated_at: datetime


class SmsMarketingSettingsAnswer(Answer):
    """SMS marketing settings. Null until they are set."""

    result: bool = True
    settings: SmsMarketingSettings | None
    through: Annotated[str, doc("Account used for campaigns: own_account, trial or `nobody`.", "own_account")]


class SmsHours(Answer):
    """Permitted sending hours in the recipient's time zone."""

    days: Annotated[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]], doc("Weekdays.")]
    begin: Annotated[str, doc("Start of the permitted hours.", "09:00")]
    end: Annotated[str, doc("End of the permitted hours.", "20:00")]


class SmsRegulationRecord(Answer):
    """Legal requirements of a country for SMS marketing."""

    country: Annotated[
        str, doc("Country code (ISO 3166-1 alpha-2). `default` applies to all countries not listed.", "CA")
    ]
    statute: str
    bases: Annotated[list[ConsentBasis], doc("Accepted legal bases of a consent.")]
    hours: list[SmsHours]
    hours_by_law: Annotated[bool, doc("False if the hours are cautious defaults rather than law.")]
    registration: Annotated[bool, doc("If true, the sender must be registered with the carriers.")]
    honour_days: Annotated[int, doc("Business days within which a revocation must take effect. Here it is immediate.")]


class SmsRegulationList(Answer):
    """Legal requirements by country."""

    result: bool = True
    regulations: list[SmsRegulationRecord]


class SuppressionList(StrEnum):
    """List of a suppressed number."""

    ALL = "all"
    MARKETING = "marketing"
    NOTIFICATION = "notification"


class SuppressionReason(StrEnum):
    """Why a number is suppressed."""

    STOP_REPLY = "stop_reply"
    """The holder replied STOP. Only the holder can undo it, with START."""
    REVIEW = "review"
    """The holder's reply may mean STOP. It applies until staff review the reply."""
    COMPLAINT = "complaint"
    INVALID_NUMBER = "invalid_number"
    MANUAL = "manual"


class SuppressSmsNumber(Request):
    """Number to suppress."""

    phone: SmsPhone
    """Phone number with country code. It need not be a contact."""
    list: SuppressionList = SuppressionList.ALL
    """Kind of messages to suppress."""
    reason: SuppressionReason = SuppressionReason.MANUAL
    """Reason for the suppression."""
    note: str | None = Field(default=None, max_length=255, pattern=NO_NUL)
    """Note about the suppression."""


class LiftSmsSuppression(Request):
    """Suppression to lift."""

    sms_suppression_id: RecordId
    """ID of the suppression."""
    reason: Reason = Field(min_length=1, examples=["It was a slip."])
    """Reason for lifting the suppression."""


class ListSmsSuppressions(PageRequest):
    """Filters of suppressions."""

    list: SuppressionList | None = None
    """Filter by list."""
    phone: SmsPhone | None = None
    """Filter by number."""
    in_force: bool = True
    """If true, exclude lifted suppressions."""


class SmsSuppressionRecord(Answer):
    """Suppressed number."""

    id: int
    phone: Annotated[
        str, doc("Phone number; `[erased]` after its holder's data was erased. The suppression stays in force.")
    ]
    list: SuppressionList
    reason: SuppressionReason
    note: str | None
    added_at: datetime
    lifted_at: datetime | None
    lift_reason: str | None


class SmsSuppressionAnswer(Answer):
    """Single suppression."""

    result: bool = True
    suppression: SmsSuppressionRecord


class SmsSuppressionList(PagedAnswer):
    """A page of suppressions, newest first."""

    suppressions: list[SmsSuppressionRecord]
