"""Names of carriers and of their services, as labels print them."""

import re
from collections.abc import Iterator

from msgspec import Struct

from haulier.kernel.values.words import fold

_NAMES = {
    "UPS": ("ups", "united parcel service"),
    "FEDEX": ("fedex", "federal express"),
    "USPS": ("usps", "u s postage", "united states postal service", "priority mail", "usps tracking"),
    "CANADA_POST": ("canada post", "postes canada", "xpresspost", "expedited parcel"),
    "PUROLATOR": ("purolator",),
    "CANPAR": ("canpar",),
    "DHL": ("dhl",),
    "DPD": ("dpd",),
    "GLS": ("gls",),
    "EVRI": ("evri", "hermes"),
    "ROYAL_MAIL": ("royal mail",),
    "LA_POSTE": ("la poste", "colissimo"),
    "CHRONOPOST": ("chronopost",),
    "CORREOS": ("correos",),
    "SEUR": ("seur",),
    "SF_EXPRESS": ("sf express", "顺丰", "順豐"),
    "ONTRAC": ("ontrac",),
    "LASERSHIP": ("lasership",),
    "AMAZON": ("amazon logistics", "amazon shipping"),
}
_SERVICES = (
    "ups next day air saver", "ups next day air early", "ups next day air", "ups 2nd day air", "ups 3 day select",
    "ups worldwide saver", "ups worldwide express", "ups worldwide expedited", "ups express saver", "ups standard",
    "ups expedited", "ups express", "ups ground", "ups surepost", "next day air", "2nd day air",
    "fedex ground economy", "fedex ground", "fedex home delivery", "fedex 2day", "fedex express saver",
    "fedex standard overnight", "fedex priority overnight", "fedex first overnight", "fedex international priority",
    "fedex international economy", "priority overnight", "standard overnight", "home delivery", "express saver",
    "usps priority mail express", "usps priority mail", "usps ground advantage", "priority mail express", "priority mail",
    "ground advantage", "first class mail", "media mail",
    "expedited parcel", "xpresspost", "regular parcel", "small packet", "tracked packet", "colis acceleres",
    "purolator express", "purolator ground", "dhl express worldwide", "express worldwide", "dhl paket", "dhl parcel",
    "dpd classic", "dpd predict", "gls business parcel", "royal mail tracked 24", "royal mail tracked 48", "tracked 24",
    "tracked 48", "special delivery", "colissimo", "chrono 13", "paq premium", "paq estandar",
)  # fmt: skip
"""Names of services, folded."""
SERVICE_WORDS = ("service", "servicio", "servizio", "versandart", "服务", "服務", "product", "produkt")
"""What stands before the name of a service."""


class NamedService(Struct, frozen=True):
    """A service as a label names it, and whether its name is one that carriers use."""

    name: str
    known: bool


def carriers_in(text: str) -> Iterator[str]:
    """Carriers that a line names."""
    words = f" {_plain(text)} "
    for code, names in _NAMES.items():
        if any(f" {name} " in words or (not name.isascii() and name in words) for name in names):
            yield code


def service_in(text: str) -> NamedService | None:
    """The service that a line names."""
    plain = _plain(text)
    for word in SERVICE_WORDS:
        if match := re.match(rf"\s*{re.escape(word)}\s*[:：]\s*(\S.*)", text, re.IGNORECASE):
            return NamedService(match[1].strip(), _plain(match[1]) in _SERVICES)
    found = [name for name in _SERVICES if f" {name} " in f" {plain} "]
    if not found:
        return _unspaced_service(plain)
    longest = max(found, key=len)
    return NamedService(text.strip() if len(plain) <= len(longest) + 12 else longest.upper(), True)


def _unspaced_service(plain: str) -> NamedService | None:
    """A service whose words were read as one, which happens to blurred letters."""
    bare = plain.replace(" ", "")
    name = next((name for name in _SERVICES if name.replace(" ", "") == bare), None)
    return NamedService(name.upper(), True) if name else None


def is_name(text: str) -> bool:
    """Whether a line is the name of a carrier or a service, and nothing else."""
    plain = _plain(text)
    service = service_in(text)
    return any(plain in names for names in _NAMES.values()) or (
        service is not None and service.known and len(plain) <= len(_plain(service.name)) + 2
    )


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+|_", " ", fold(text)).split())
