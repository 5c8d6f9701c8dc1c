"""The tools that the interface promises, read from `catalogue.toml`: what each asks of its caller."""

import tomllib
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct, convert

from haulier.doors.mcp.tools import bindings
from haulier.kernel.declarations import Risk, Scope, Server
from haulier.kernel.registry import Registry


class Promise(Struct, frozen=True, kw_only=True):
    """What is promised of a tool. `None` where the interface leaves it to us."""

    public: bool
    risk: Risk | None = None
    scopes: frozenset[Scope] | None = None
    confirm: bool | None = None


class _Rows(Promise, frozen=True, kw_only=True):
    tools: list[str]

    def promise(self) -> Promise:
        return Promise(public=self.public, risk=self.risk, scopes=self.scopes, confirm=self.confirm)


class _Catalogue(Struct, frozen=True):
    user: list[_Rows]
    developer: list[_Rows]
    beyond: dict[str, str]


@lru_cache(maxsize=1)
def _read() -> _Catalogue:
    text = files("haulier.doors.mcp").joinpath("catalogue.toml").read_text()
    return convert(tomllib.loads(text), _Catalogue)


def promised(server: Server) -> dict[str, Promise]:
    """The tools of a server by name. Raises `ValueError` for a name that stands twice."""
    found: dict[str, Promise] = {}
    for rows in _read().user if server is Server.USER else _read().developer:
        for name in rows.tools:
            if name in found:
                raise ValueError(f"{name} stands twice")
            found[name] = rows.promise()
    return found


def beyond() -> dict[str, str]:
    """Our own tools that the interface does not have, with the reason for each."""
    return _read().beyond


def missing(registry: Registry, server: Server) -> list[str]:
    """The promised tools of a server that nothing declares yet."""
    return sorted(promised(server).keys() - {tool.name for tool, _ in bindings(registry, server)})


def missing_page(registry: Registry) -> str:
    """The page of the reference that names them."""
    parts = [
        "# Tools that are still missing\n\nPromised by the interface and not declared yet. Made by `make published`.\n"
    ]
    for server in Server:
        names = missing(registry, server)
        have = len(promised(server)) - len(names)
        parts.append(f"\n## {server.value.title()} server\n\n{have} of {len(promised(server))} are there.\n\n")
        parts += [f"- `{name}`\n" for name in names]
    return "".join(parts)
