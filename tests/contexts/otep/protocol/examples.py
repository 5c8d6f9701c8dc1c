"""A valid request for each operation on the protocol itself."""

from haulier.contexts.otep.protocol.contract import EXAMPLE_TIMELINE

EXAMPLES: dict[str, dict[str, object]] = {
    "validate_otep_payload": {"timeline": EXAMPLE_TIMELINE, "projections": ["epcis"]},
    "get_otep_codebook": {},
    "get_otep_schema": {},
    "get_otep_guide": {},
}
