"""Invented people and shops of the demo."""

import unicodedata
from typing import Any, NamedTuple
from zlib import crc32

from haulier.demo.city import StreetAddress

BUSINESS = "Lokki Couriers"
DRIVERS = ("Dana Korhonen", "Otso Laine", "Yusuf Demir", "Elsa Backman")
VEHICLES = ("Cargo bike", "Van", "Cargo bike", "Cargo bike")
SHOPS = (
    *("Lumi Ceramics", "Kukka & Oksa", "Korppi Books", "Halla Bakery", "Nordic Spice Bazaar", "Paperi & Muste"),
    *("Tundra Vintage", "Olive & Oregano", "Sauna & Soap", "Puu Toys", "Bao Deli", "Aalto Optics"),
)
FIRST_NAMES = (
    *("Aino", "Eero", "Helmi", "Onni", "Saga", "Väinö", "Linnea", "Mikael", "Amina", "Juho", "Priya", "Oliver"),
    *("Venla", "Tuomas", "Ingrid", "Samuel", "Fatima", "Kaarlo", "Mei", "Petra", "Lauri", "Noora", "Diego", "Iida"),
    *("Anton", "Leila", "Markus", "Hanna", "Kwame", "Ronja", "Emilia", "Tapio"),
)
LAST_NAMES = (
    *("Virtanen", "Mäkinen", "Nieminen", "Lindqvist", "Heikkinen", "Koskinen", "Järvinen", "Ahmed", "Salonen"),
    *("Lehtonen", "Nguyen", "Karlsson", "Hämäläinen", "Rantanen", "Popova", "Tuominen", "Okafor", "Savolainen"),
    *("Wikström", "Kallio", "Rossi", "Peltonen", "Haapala", "Tanaka", "Miettinen", "Sjöberg", "Kivelä", "Petrov"),
    *("Niskanen", "Santos", "Vainio", "Åkerman", "Toivonen"),
)


class Contact(NamedTuple):
    """A recipient or a shop. The phone number and the email address are unassigned."""

    name: str
    phone: str
    email: str

    @property
    def fields(self) -> dict[str, Any]:
        """The contact as the fields of an order's address."""
        return self._asdict()


def phone_number(number: int) -> str:
    """Return a well-formed phone number that is unassigned.

    Subscriber numbers in Helsinki never begin with 0.
    """
    return f"+3589000{number % 10_000:04d}"


def _email_name(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return ".".join("".join(letter if letter.isalnum() else " " for letter in plain).split())


def recipient_of(order_ref: str) -> Contact:
    """Return the recipient of an order. The same reference always has the same one."""
    draw = crc32(order_ref.encode())
    first = FIRST_NAMES[draw % len(FIRST_NAMES)]
    name = f"{first} {LAST_NAMES[draw // len(FIRST_NAMES) % len(LAST_NAMES)]}"
    return Contact(name, phone_number(draw), f"{_email_name(name)}@home.example")


def shop_of(number: int) -> Contact:
    """Return a shop by number."""
    name = SHOPS[number % len(SHOPS)]
    return Contact(name, phone_number(9_000 + number % len(SHOPS)), f"orders@{_email_name(name)}.example")


def order_address(contact: Contact, address: StreetAddress, *, email: bool = True) -> dict[str, Any]:
    """Return the address of one end of an order."""
    return {**contact.fields, **address.fields} | ({} if email else {"email": None})
