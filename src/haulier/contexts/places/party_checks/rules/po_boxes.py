"""P.O. boxes and parcel lockers of posts in address lines, as each country writes them."""

import re

_EVERYWHERE = re.compile(
    r"\bP\.?\s*O\.?\s*B(?:ox|x)?\.?\s*#?\s*\d|\bP\.?\s*O\.?\s*Box\b|\bPost(?:al)?\s+Office\s+Box\b|\bG\.?P\.?O\.?\s*Box\b"
    r"|\b(?:Locked|Private)\s+Bag\s*\d|\bPackstation\s*\d|\bPostfach\b|\bPostbus\s*\d|\bPostboks\s*\d|\bPostilokero\b"
    r"|\bBo[iî]te\s+postale\b|\bCase\s+postale\b|\bCasella\s+postale\b|\bCaixa\s+postal\b|\bApartado\b"
    r"|\b(?:Apdo|Aptdo)\.?(?:\s+de\s+correos)?\s*\d|\bCasilla(?:\s+de\s+correo)?\s*\d|\bSkrytka\s+pocztowa\b|\bSkr\.\s*poczt"
    r"|\bа/я\b|信箱|私書箱|사서함",
    re.IGNORECASE,
)
_BP = re.compile(r"\bB\.?\s?P\.?\s*(?:n[°o]\.?\s*)?\d", re.IGNORECASE)
_CP = re.compile(r"\bC\.?\s?P\.?\s*\d", re.IGNORECASE)
_BOX = re.compile(r"^\s*Box\s+\d", re.IGNORECASE)
_FRENCH_CODES = (
    "BE BF BI BJ CD CF CG CI CM DJ DZ FR GA GF GN GP GQ HT KM LU MA MC MG ML MQ MR MU NC NE PF RE RW SN TD TG TN YT"
)
_FRENCH = frozenset(_FRENCH_CODES.split())
_CASES = frozenset({"BR", "CA", "CH", "IT", "SM", "VA"})
"""Countries where `C.P.` is a box; in Spanish and Portuguese it is the postal code."""


def is_po_box(street: str, country: str) -> bool:
    """Return True if an address line names a box at a post office, which couriers don't deliver to."""
    return bool(
        _EVERYWHERE.search(street)
        or (country in _FRENCH and _BP.search(street))
        or (country in _CASES and _CP.search(street))
        or (country == "SE" and _BOX.search(street))
    )
