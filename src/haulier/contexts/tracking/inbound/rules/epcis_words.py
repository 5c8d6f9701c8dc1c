"""Words of the Core Business Vocabulary, in each of the forms in which documents write them, and what they mean to us."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from haulier.contexts.tracking.otep.vocabulary import EXPERIMENTAL, resolve

_SHEET: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("epcis_words.toml").read_text(encoding="utf-8")
)
PAIRS: Mapping[str, str] = _SHEET["pairs"]
STEPS: Mapping[str, str] = _SHEET["steps"]
DISPOSITIONS: Mapping[str, str] = _SHEET["dispositions"]
REASONS: Mapping[str, str] = _SHEET["reasons"]
_GRAVE = _SHEET["grave"]

# Bare, as a compact IRI, as a Web URI of either host, or as the URN of EPCIS 1.2 and XML.
_FORM = re.compile(
    r"(?:urn:epcglobal:cbv:(?:bizstep|disp|er):|cbv:(?i:BizStep-|Disp-|ER-)?"
    r"|https?://(?:ref|ns)\.gs1\.org/cbv/(?i:BizStep-|Disp-|ER-)?)?([A-Za-z_]+)"
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x20]+")

for code in {*PAIRS.values(), *STEPS.values(), *DISPOSITIONS.values()} - {""}:
    if resolve(code) is None:
        raise ValueError(f"epcis_words.toml maps to the unknown code {code!r}")


def bare(word: str) -> str:
    """A word of the CBV without what stands around it; any other text as it is."""
    found = _FORM.fullmatch(word)
    return found[1] if found else word


def known(word: str, words: Mapping[str, str]) -> bool:
    """Whether a bare word is of the vocabulary, or a URI of somebody else's."""
    return word in words or (_URI.fullmatch(word) is not None and _FORM.fullmatch(word) is None)


def status(step: str, disposition: str) -> str:
    """The status code of a business step and a disposition, either of which may be empty.

    The pair decides, else a grave disposition, else the step, else the disposition. What has no counterpart becomes an
    experimental code that names it.
    """
    found = PAIRS.get(f"{step}/{disposition}") or _GRAVE.get(disposition)
    if not found:
        found = STEPS.get(step) if step else DISPOSITIONS.get(disposition)
    return found or EXPERIMENTAL + "epcis-" + _named(step or disposition)


def _named(word: str) -> str:
    if not word:
        return "observed"
    return word.replace("_", "-") if word in STEPS or word in DISPOSITIONS else "other"
