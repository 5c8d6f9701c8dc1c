"""Request and response models for locker screens."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from haulier.contexts.lockers.sites.contract import FreeBoxes
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.operations.ids import DeviceCommandId, LockerScreenId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

COURIER_HOURS_MAX = 24
ScreenSecret = Annotated[SecretStr, Field(min_length=8, max_length=200)]


class CreateLockerScreen(Request):
    """A locker screen to create."""

    site_id: RecordId
    name: Name = Field(examples=["Hall B, left of the cabinets"])
    """Location of the screen."""


class ListLockerScreens(PageRequest):
    """Filters for locker screens."""

    site_id: RecordId
    ended: bool = False
    """If true, ended screens are included."""


class LockerScreenRef(Request):
    """Reference to a locker screen."""

    screen_id: LockerScreenId


class CreateCourierCode(Request):
    """A courier code to create."""

    site_id: RecordId
    hours: int = Field(default=12, ge=1, le=COURIER_HOURS_MAX)
    """Hours of validity."""


class ShowLockerScreen(Request):
    """Request of a screen for its content."""

    screen_key: ScreenSecret
    """Key of the screen."""
    command_id: DeviceCommandId | None = None
    """Command of the door opened last at the screen."""


class EnterLockerCode(Request):
    """A code entered at a screen."""

    screen_key: ScreenSecret
    """Key of the screen."""
    code: Annotated[SecretStr, Field(min_length=1, max_length=40)]
    """The code."""
    locker_parcel_id: RecordId | None = None
    """Parcel whose compartment to open. For courier codes."""
    low: bool = False
    """If true, the deposit needs a wheelchair accessible compartment."""


class LockerScreen(Answer):
    """A screen of a site."""

    id: int
    site_id: int
    name: str
    last_seen_at: Annotated[datetime | None, doc("Time of the last request, to the minute.")]
    created_at: datetime
    ended_at: Annotated[datetime | None, doc("Time when the screen was ended.")]


class LockerScreenAnswer(Answer):
    """A locker screen."""

    result: bool = True
    screen: LockerScreen


class LockerScreenKey(LockerScreenAnswer):
    """A locker screen and its key. The key is shown only once."""

    screen_key: Annotated[str, doc("Key to enter once at `/kiosk` on the screen.")]


class LockerScreenList(PagedAnswer):
    """A page of screens, newest first."""

    screens: list[LockerScreen]


class CourierCode(Answer):
    """A courier code. It is shown only once."""

    result: bool = True
    site_id: int
    code: Annotated[str, doc("Code that the courier enters at the screen.", "0471552841")]
    expires_at: datetime


class ScreenDoor(Answer):
    """A door opened at a screen."""

    command_id: DeviceCommandId
    cabinet: Annotated[str, doc("Code on the locker.", "A")]
    box: Annotated[int, doc("Number of the compartment in the locker.")]
    low: Annotated[bool, doc("If true, the compartment is wheelchair accessible.")]
    purpose: Annotated[str | None, doc("deposit, collect or retrieve.", "collect")]
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    door_open: Annotated[bool | None, doc("Last report of the door sensor. Null if it never reported.")]


class LockerScreenState(Answer):
    """Public content of a screen, without personal data."""

    result: bool = True
    business: str
    site: str
    address: str
    access_notes: str | None
    accessibility: list[str]
    opening_hours: Annotated[OpeningHoursRecord | None, doc("Opening hours. Null if always open.")]
    open_now: bool
    free: list[FreeBoxes]
    offers: Annotated[
        list[str], doc("Actions available here, one tile each.", ["collect", "drop_off", "buy", "courier"])
    ]
    silent_cabinets: Annotated[list[str], doc("Lockers whose doors can't be opened now.")]
    door: ScreenDoor | None


class CourierErrand(Answer):
    """A parcel that a courier deposits or retrieves."""

    locker_parcel_id: int
    cabinet: str
    box: int
    act: Annotated[str, doc("deposit or retrieve.", "retrieve")]
    reference: str | None
    order_id: int | None


class LockerCodeVerdict(Answer):
    """Result of a code.

    While its door is opening, the same code returns the same door.
    """

    result: bool = True
    accepted: bool
    door: ScreenDoor | None
    errands: Annotated[list[CourierErrand], doc("Tasks of a courier code.")]
    tries_left: Annotated[int, doc("Number of wrong codes left before the screen is locked.")]
    rests_until: Annotated[datetime | None, doc("Time until which the screen accepts no codes.")]
