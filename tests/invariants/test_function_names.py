"""Function names begin with a listed verb, or name the value that they return."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from haulier.app import registry

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "haulier"

VERBS = {
    "records": """
        add append assign change clear close copy count create delete disable discard draft drop enable end
        ensure erase expire extend find freeze get hide increase insert limit link list load lock mark merge
        move postpone purge read record recount reduce release remove rename renew renumber reopen replace
        reserve reset restore retire revoke rotate save seal set share shorten skip split store supersede
        suppress suspend touch transfer undo unlock update upsert write
    """,
    "requests and messages": """
        accept acknowledge answer approve ask authorise authorize bind call cancel challenge claim confirm
        connect decide decline deliver detach dispatch download enqueue enquire export fan fetch flush forward
        handle import invite invoice issue listen log notify offer opt poll post propose publish pull push put receive
        redirect register reject relay remind report request return send serve show sign start stop stream
        submit upload visit wait warn watch
    """,
    "values": """
        apply build check choose classify collect compile complete compute configure correct declare decode
        derive describe detect draw encode escape estimate evaluate explain extract fill filter format geocode
        group infer join locate make match measure normalize parse prepare print project raise render require
        resolve search select serialize sort spell sync translate validate verify
    """,
    "trade": """
        abort account adjust allocate allot attempt award bill block book buy capture charge collect consume credit
        deduct dispute distribute free hand hold lift mirror mute occupy order pack pay pick place plan
        promise promote purchase quote reclaim reconcile recover refund requeue reschedule reverse roll scan
        sell ship switch track use void waive withdraw
    """,
    "processes": """
        activate admit advance arrive begin cache commit defer do downgrade drive execute exit fail finish
        guard ignore index kill leave maintain open pause play plug process protect recreate refresh replay
        resume retry run schedule seed settle swallow sweep test upgrade
    """,
    "search for plans": """
        attach break constrain cut fold improve lay pair repack ruin shrink solve turn vary widen
    """,
    "times": "after before on from to",
    "predicates": "are can has is may no should was would",
}
"""Verbs by where they are the common word. Extend a line only if no other verb of it fits."""

REPLACED = {
    "announce": "publish, notify",
    "await": "wait_for",
    "bring": "upgrade, load",
    "follow": "on_<event>, sync",
    "forget": "clear, delete, drop",
    "give": "assign, return, issue",
    "hear": "receive, record",
    "judge": "validate, verify",
    "keep": "save, store, reserve",
    "know": "find, register",
    "lead": "redirect, assign",
    "learn": "load, record",
    "look": "find, fetch, check",
    "note": "record",
    "refuse": "reject",
    "remember": "save, store",
    "say": "format, send",
    "take": "apply, receive, reserve, read",
    "tell": "notify, report, publish",
}
"""Verbs that need the body to be understood, with the verbs to use instead."""


EXEMPT = {
    "connection_made": "asyncio calls it",
    "connection_lost": "asyncio calls it",
    "data_received": "asyncio calls it",
    "main": "entry of a process",
    "_worker_main": "entry of a process",
    "plain_columns": "a declaration beside the columns of a table",
}
"""Functions with a name that something else sets, and the reason."""


class Named(NamedTuple):
    """A function of the source and the place of its definition."""

    name: str
    place: str
    returned: str

    @property
    def verb(self) -> str:
        return self.name.strip("_").split("_")[0]


@cache
def listed_verbs() -> frozenset[str]:
    return frozenset(word for words in VERBS.values() for word in words.split())


@cache
def named_functions() -> tuple[Named, ...]:
    """Return functions, and methods of several words, except operations.

    Operations and commands have published names. A method of one word is read with its object, such as `queue.put`.
    """
    published = {operation.name for operation in registry()} | EXEMPT.keys()
    found = [
        named
        for path in sorted(SOURCE.rglob("*.py"))
        if not {"versions", "cli"} & set(path.parts)
        for named in functions_in(ast.parse(path.read_text()), str(path.relative_to(ROOT)), inside=False)
    ]
    return tuple(named for named in found if named.name not in published)


def functions_in(node: ast.AST, path: str, *, inside: bool) -> Iterator[Named]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from functions_in(child, path, inside=True)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = " ".join(ast.unparse(each) for each in child.decorator_list)
            returned = ast.unparse(child.returns) if child.returns else "None"
            one_word = "_" not in child.name.strip("_")
            skipped = "property" in decorators or "overload" in decorators or child.name.startswith("__")
            if not skipped and not (inside and one_word):
                yield Named(child.name, f"{path}:{child.lineno}", returned)
        elif not isinstance(child, ast.expr):
            yield from functions_in(child, path, inside=inside)


def test_no_function_name_starts_with_an_ambiguous_verb() -> None:
    found = {f"{each.place} {each.name}": REPLACED[each.verb] for each in named_functions() if each.verb in REPLACED}
    assert found == {}


def test_functions_without_a_result_start_with_a_listed_verb() -> None:
    actions = [each for each in named_functions() if each.returned in {"None", "NoReturn"}]
    assert [f"{each.place} {each.name}" for each in actions if each.verb not in listed_verbs()] == []
