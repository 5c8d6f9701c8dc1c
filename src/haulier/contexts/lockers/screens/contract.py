"""What goes in and out of screens at sites."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from haulier.contexts.lockers.shop.contract.products import ShopOffer
from haulier.contexts.lockers.shop.contract.purchases import ShopPurchase
from haulier.contexts.lockers.sites.contract import FreeBoxes
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

COURIER_HOURS_MAX = 24
ScreenSecret = Annotated[SecretStr, Field(min_length=8, max_length=200)]


class CreateLockerScreen(Request):
    """A new screen of a site."""

    site_id: RecordId
    name: Name = Field(examples=["Hall B, left of the cabinets"])
    """Where it stands."""


class ListLockerScreens(PageRequest):
    """Which screens."""

    site_id: RecordId
    ended: bool = False
    """Also those that show nothing any more."""


class LockerScreenRef(Request):
    """Which screen."""

    screen_id: RecordId


class CreateCourierCode(Request):
    """A code with which a courier signs in at the screens of a site."""

    site_id: RecordId
    hours: int = Field(default=12, ge=1, le=COURIER_HOURS_MAX)
    """It works for so long."""


class ShowLockerScreen(Request):
    """A screen that asks what to show."""

    screen_key: ScreenSecret
    """What the screen was made with."""
    command_id: RecordId | None = None
    """The door that was opened at it just now."""


class EnterLockerCode(Request):
    """What somebody typed or scanned at a screen."""

    screen_key: ScreenSecret
    """What the screen was made with."""
    code: Annotated[SecretStr, Field(min_length=1, max_length=40)]
    """The code."""
    locker_parcel_id: RecordId | None = None
    """With a courier's code: the parcel whose box shall open."""
    low: bool = False
    """Whoever hands something in needs a box that can be reached from a wheelchair."""


class ListScreenGoods(Request):
    """A screen that asks what is for sale at its site."""

    screen_key: ScreenSecret
    """What the screen was made with."""


class BuyAtScreen(ListScreenGoods):
    """What somebody chose at a screen."""

    shop_product_id: RecordId
    """The product."""


class LockerScreen(Answer):
    """A screen of a site."""

    id: int
    site_id: int
    name: str
    last_seen_at: Annotated[datetime | None, doc("When it asked last, to the minute.")]
    created_at: datetime
    ended_at: Annotated[datetime | None, doc("Since when it shows nothing any more.")]


class LockerScreenAnswer(Answer):
    """One screen."""

    result: bool = True
    screen: LockerScreen


class LockerScreenKey(LockerScreenAnswer):
    """A screen and its key. It is shown here and never again."""

    screen_key: Annotated[str, doc("Open `/kiosk` on the screen and type it there, once.")]


class LockerScreenList(PagedAnswer):
    """A page of screens, newest first."""

    screens: list[LockerScreen]


class CourierCode(Answer):
    """A courier's code. It is shown here and never again."""

    result: bool = True
    site_id: int
    code: Annotated[str, doc("What the courier types at the screen.", "0471552841")]
    expires_at: datetime


class ScreenDoor(Answer):
    """A door that was opened at a screen."""

    command_id: int
    cabinet: Annotated[str, doc("What is written on the cabinet.", "A")]
    box: Annotated[int, doc("The box's number in the cabinet.")]
    low: Annotated[bool, doc("Whether it can be reached from a wheelchair.")]
    purpose: Annotated[str | None, doc("deposit, collect or retrieve.", "collect")]
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    door_open: Annotated[bool | None, doc("What its sensor said last; null where it never said anything.")]


class LockerScreenState(Answer):
    """What a screen shows before anybody gave a code: nothing about anybody."""

    result: bool = True
    business: str
    site: str
    address: str
    access_notes: str | None
    accessibility: list[str]
    opening_hours: Annotated[OpeningHoursRecord | None, doc("Null where it is always open.")]
    open_now: bool
    free: list[FreeBoxes]
    offers: Annotated[
        list[str], doc("What can be done here, one tile each.", ["collect", "drop_off", "buy", "courier"])
    ]
    silent_cabinets: Annotated[list[str], doc("Cabinets whose doors do not open now.")]
    door: ScreenDoor | None


class CourierErrand(Answer):
    """A parcel that a courier puts in or takes out."""

    locker_parcel_id: int
    cabinet: str
    box: int
    act: Annotated[str, doc("deposit or retrieve.", "retrieve")]
    reference: str | None
    order_id: int | None


class LockerCodeVerdict(Answer):
    """What a code opens. The same code again, while its door opens, gets the same door."""

    result: bool = True
    accepted: bool
    door: ScreenDoor | None
    errands: Annotated[list[CourierErrand], doc("Of a courier's code: what there is to do.")]
    tries_left: Annotated[int, doc("How many wrong codes may follow before the screen rests.")]
    rests_until: Annotated[datetime | None, doc("Until when the screen takes no code.")]


class ScreenGoods(Answer):
    """What is for sale at the site of a screen."""

    result: bool = True
    client_code: Annotated[str, doc("The business, as `get_shop_picture` asks for it.", "demo")]
    goods: list[ShopOffer]


class ScreenPurchase(Answer):
    """A piece that is kept, and how it is paid. The link is shown here and never again."""

    result: bool = True
    purchase: ShopPurchase
    link: Annotated[str, doc("Pays for it, tells how it is, and gives it up.", "hlshop_0123456789")]
    pay_url: Annotated[str, doc("The page for the buyer's phone.", "https://haulier.example/pay#hlshop_0123456789")]
    pay_qr: Annotated[str, doc("The same as a QR code: a picture in SVG.", "<svg></svg>")]
