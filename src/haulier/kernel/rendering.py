"""How a refusal reads: the one error body, in the caller's language. Every door renders its errors from this."""

from typing import Any

from haulier.kernel.errors import Fault, Refusal
from haulier.kernel.languages import Catalogues

LIST_MAX = 100
"""At most this many faults are listed, so that a hostile request cannot make a huge answer."""


def error_body(refusal: Refusal, catalogues: Catalogues, language: str, request_id: str) -> dict[str, Any]:
    """`{"result": false, "message", "code", "errors": [{"field", "code", "message"}], "request_id"}`."""
    problem = refusal.problem
    return {
        "result": False,
        "message": catalogues.say(language, problem.id, **refusal.params),
        "code": problem.code,
        "errors": [fault_body(fault, catalogues, language) for fault in refusal.faults[:LIST_MAX]],
        "request_id": request_id,
        **problem.body,
    }


def fault_body(fault: Fault, catalogues: Catalogues, language: str) -> dict[str, str]:
    """One fault of one field, in words."""
    code = fault.code.rpartition(".")[2].upper()
    return {"field": fault.field, "code": code, "message": catalogues.say(language, fault.code, **fault.params)}
