"""Rules of sample data: names, addresses and times in a country."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import cos, pi, radians, sin
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import get_timezone_location
from msgspec import Struct

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.countries import place_of_time_zone, time_zones_by_country
from haulier.kernel.values.geography import LatLng

SAMPLE_DATA_NEEDS_EMPTY = declare_error("sample_data_needs_empty", 409)


class Samples(Struct, frozen=True, kw_only=True):
    """Names of a language."""

    depot: str
    address: str = "{street} {number}"
    streets: tuple[str, ...]
    shops: tuple[str, ...]
    drivers: tuple[str, ...]
    recipients: tuple[str, ...]


SAMPLES: Mapping[str, Samples] = {
    "en": Samples(
        depot="Main depot",
        address="{number} {street}",
        streets=("Station Street", "Church Street", "Park Avenue", "Mill Lane", "Garden Street", "Bridge Street"),
        shops=("Fern & Petal Flowers", "Corner Bakery", "Oakwood Books"),
        drivers=("Sam Carter", "Nina Brooks"),
        recipients=(
            *("Emma Walsh", "Jack Turner", "Olivia Grant", "Daniel Price", "Grace Holt", "Ryan Cole", "Mia Ward"),
            *("Leo Fraser", "Zoe Hart", "Adam Wells", "Ruby Lane", "Owen Marsh"),
        ),
    ),
    "de": Samples(
        depot="Hauptdepot",
        streets=("Bahnhofstraße", "Gartenstraße", "Schulstraße", "Lindenstraße", "Mühlenweg", "Bergstraße"),
        shops=("Blumen Wiesengrün", "Bäckerei Kornblume", "Buchladen am Eck"),
        drivers=("Jonas Weber", "Lena Vogt"),
        recipients=(
            *("Anna Becker", "Felix Braun", "Mia Hoffmann", "Paul Schäfer", "Clara Winter", "Tim Lorenz", "Ida Krüger"),
            *("Ben Sommer", "Nora Busch", "Max Engel", "Lea Franke", "Emil Haas"),
        ),
    ),
    "fr": Samples(
        depot="Dépôt principal",
        address="{number} {street}",
        streets=(
            "rue de la Gare",
            "rue des Jardins",
            "avenue du Parc",
            "rue du Moulin",
            "rue des Écoles",
            "rue du Pont",
        ),
        shops=("Fleurs des Champs", "Boulangerie du Coin", "Librairie du Parc"),
        drivers=("Lucas Moreau", "Chloé Garnier"),
        recipients=(
            *("Emma Lefèvre", "Hugo Roux", "Léa Fontaine", "Louis Mercier", "Jade Blanc", "Adam Girard", "Inès Faure"),
            *("Jules Perrin", "Zoé Colin", "Nathan Leroy", "Manon Gauthier", "Paul Chevalier"),
        ),
    ),
    "es": Samples(
        depot="Depósito principal",
        streets=(
            "Calle Mayor",
            "Calle del Jardín",
            "Avenida del Parque",
            "Calle del Molino",
            "Calle Nueva",
            "Calle Real",
        ),
        shops=("Flores del Campo", "Panadería La Espiga", "Librería del Parque"),
        drivers=("Carlos Vega", "Lucía Ramos"),
        recipients=(
            *("Ana Torres", "Diego Molina", "Sofía Castro", "Pablo Reyes", "Elena Navarro", "Mateo Cruz", "Laura Gil"),
            *("Hugo Peña", "Carmen Soto", "Javier León", "Paula Vidal", "Andrés Campos"),
        ),
    ),
    "zh-Hans": Samples(
        depot="主仓库",
        address="{street}{number}号",
        streets=("中山路", "人民路", "花园路", "学府路", "滨河路", "公园路"),
        shops=("春晓花店", "麦香面包房", "书香书店"),
        drivers=("王强", "李娜"),
        recipients=("张伟", "刘洋", "陈静", "杨帆", "赵敏", "黄磊", "周婷", "吴昊", "徐丽", "孙杰", "马琳", "朱涛"),
    ),
    "zh-Hant": Samples(
        depot="主倉庫",
        address="{street}{number}號",
        streets=("中山路", "民生路", "花園路", "學府路", "河濱路", "公園路"),
        shops=("春曉花店", "麥香麵包坊", "書香書店"),
        drivers=("王志強", "李怡君"),
        recipients=(
            "張家豪",
            "劉雅婷",
            "陳冠宇",
            "楊淑芬",
            "趙文傑",
            "黃詩涵",
            "周俊宏",
            "吳佩珊",
            "徐子軒",
            "孫美玲",
            "林宗翰",
            "朱佳蓉",
        ),
    ),
}
LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("AT", "CH", "DE", "LI"), "de"),
    **dict.fromkeys(("FR", "LU", "MC"), "fr"),
    **dict.fromkeys(("AR", "BO", "CL", "CO", "CR", "DO", "EC", "ES", "GT", "HN", "MX", "NI", "PA", "PE"), "es"),
    **dict.fromkeys(("PY", "SV", "UY", "VE"), "es"),
    "CN": "zh-Hans",
    **dict.fromkeys(("HK", "MO", "TW"), "zh-Hant"),
}
"""Language of the names in a country. Default: English."""
ELSEWHERE = "Europe/London"
"""Time zone of the city for a business without country and city."""
STEP = timedelta(minutes=18)
DONE = 3
"""Stops of the route that are done; the driver is at the next one."""
FAILED_STOP = 1
"""Position of the stop with a failed attempt."""
ON_ROUTE = 8
"""Orders on the route. The others wait to be planned."""
SERVICE = timedelta(minutes=5)
AHEAD = timedelta(hours=3)
"""Time between the creation of the orders and the present."""
WINDOW = timedelta(hours=2)


class SampleCity(Struct, frozen=True):
    """Where the sample data is."""

    country: str
    name: str
    place: LatLng
    samples: Samples


def choose_city(country: str | None, time_zone: str) -> SampleCity:
    """Return the city of a time zone.

    If it is in another country, return the first city of the country.
    """
    zones = [(zone, code) for zone, code in time_zones_by_country() if country in {None, code}]
    found = next((each for each in zones if each[0] == time_zone), zones[0] if country and zones else None)
    zone, code = found or (ELSEWHERE, country or "GB")
    language = LANGUAGES.get(code, "en")
    name = get_timezone_location(ZoneInfo(zone), locale=Locale.parse(language, sep="-"), return_city=True)
    return SampleCity(code, name, place_of_time_zone(zone) or (0.0, 0.0), SAMPLES[language])


class SampleOrder(Struct, frozen=True):
    """An order with its planned arrival."""

    request: dict[str, Any]
    place: LatLng
    arrives_at: datetime


def plan_orders(city: SampleCity, now: datetime, zone: ZoneInfo, customers: tuple[int, ...]) -> list[SampleOrder]:
    """Return the orders of the day: first those of the route, in order of visit."""
    start = now.replace(minute=now.minute // 5 * 5, second=0, microsecond=0)
    return [
        _order(city, number, start + (number - DONE) * STEP, zone, customers)
        for number in range(len(city.samples.recipients))
    ]


def _order(
    city: SampleCity, number: int, arrives_at: datetime, zone: ZoneInfo, customers: tuple[int, ...]
) -> SampleOrder:
    samples, place = city.samples, place_near(city.place, number + 1)
    window = arrives_at.astimezone(zone).replace(minute=0)
    return SampleOrder(
        request={
            "order_ref": f"SAMPLE-{number + 1:02}",
            "consignee": {
                "name": samples.recipients[number],
                "address": samples.address.format(street=samples.streets[number % 6], number=3 + number * 7 % 40),
                "city": city.name,
                "country": city.country,
                "lat": place[0],
                "lng": place[1],
            },
            "packages": [{"weight_g": 500 + 700 * (number % 5)}],
            "scheduled_date": window.date(),
            "window_start": window,
            "window_end": window + WINDOW,
            "customer_id": customers[number % len(customers)],
        },
        place=place,
        arrives_at=arrives_at,
    )


def place_near(center: LatLng, number: int) -> LatLng:
    """Return a place near a center: by number, they lie on a loop around it."""
    metres, angle = 500 + 370 * number % 900, number * pi / 6
    lat = center[0] + metres * cos(angle) / 111_000
    lng = center[1] + metres * sin(angle) / (111_000 * cos(radians(center[0])))
    return round(lat, 5), round(lng, 5)
