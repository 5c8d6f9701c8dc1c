"""Words of the Core Business Vocabulary: their spellings in documents, and the status code that each means inbound."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from haulier.contexts.otep.public import EXPERIMENTAL_PREFIX, is_experimental_code, resolve_status

_SHEET: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("epcis_vocabulary.toml").read_text(encoding="utf-8")
)
BUSINESS_STEPS: Mapping[str, str] = _SHEET["steps"]
DISPOSITIONS: Mapping[str, str] = _SHEET["dispositions"]
DISPOSITION_REASONS: Mapping[str, str] = _SHEET["reasons"]
_GRAVE_DISPOSITIONS = _SHEET["grave"]

# Bare, as a compact IRI, as a Web URI of either host, or as the URN of EPCIS 1.2 and XML.
_CBV_FORM = re.compile(
    r"(?:urn:epcglobal:cbv:(?:bizstep|disp|er):|cbv:(?i:BizStep-|Disp-|ER-)?"
    r"|https?://(?:ref|ns)\.gs1\.org/cbv/(?i:BizStep-|Disp-|ER-)?)?([A-Za-z_]+)"
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x20]+")

for code in {*BUSINESS_STEPS.values(), *DISPOSITIONS.values(), *_GRAVE_DISPOSITIONS.values()} - {""}:
    if resolve_status(code) is None and not is_experimental_code(code):
        raise ValueError(f"epcis_vocabulary.toml maps to the unknown code {code!r}")


def bare_word(word: str) -> str:
    """A word of the CBV without its prefix; any other text as it is."""
    match = _CBV_FORM.fullmatch(word)
    return match[1] if match else word


def is_known_word(word: str, vocabulary: Mapping[str, str]) -> bool:
    """Whether a bare word is of the vocabulary, or a URI of another one."""
    return word in vocabulary or (_URI.fullmatch(word) is not None and _CBV_FORM.fullmatch(word) is None)


def status_code_of_words(step: str, disposition: str) -> str:
    """Return the status code of a business step and a disposition, either of which may be empty.

    A grave disposition decides, else the step, else the disposition. Words without a status code give an experimental code
    that contains one of them.
    """
    return (
        _GRAVE_DISPOSITIONS.get(disposition)
        or BUSINESS_STEPS.get(step)
        or DISPOSITIONS.get(disposition)
        or EXPERIMENTAL_PREFIX + "epcis-" + _experimental_name(step or disposition)
    )


def _experimental_name(word: str) -> str:
    if not word:
        return "observed"
    return word.replace("_", "-") if word in BUSINESS_STEPS or word in DISPOSITIONS else "other"
