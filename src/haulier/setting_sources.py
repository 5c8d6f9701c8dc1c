"""Sources of settings: the environment, files of secrets and a TOML file."""

import difflib
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

PREFIX = "HAULIER_"
FILE_SUFFIX = "_FILE"
CONFIG_VARIABLE = "HAULIER_CONFIG"
DEFAULT_FILE = "haulier.toml"
OTHER_VARIABLES = frozenset({CONFIG_VARIABLE, "HAULIER_SHARED"})
TEST_PREFIX = "HAULIER_TEST_"
_SERVICE_LINK = re.compile(
    r"HAULIER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)", re.IGNORECASE
)
_SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://", re.IGNORECASE)
_USER_IN_URL = re.compile(r"://\S*@")
_QUERY_IN_URL = re.compile(r"\?\S*")
MASK = "***"
LATE_SECRETS = frozenset({"secrets_keys"})
"""Secrets whose file may be missing at start. The setting is then `file:` and the path, and is read when needed."""


class InvalidSetting(ValueError):
    """Raised for an invalid setting. The message names it and the expected value."""


class SourcedValue(Struct, frozen=True):
    """The value of a setting and where it comes from."""

    value: Any
    source: str


def read_sources(
    names: Collection[str], secrets: Collection[str], environment: Mapping[str, str] | None = None
) -> dict[str, SourcedValue]:
    """Return the values that are set. The environment takes precedence over the file.

    An empty variable counts as not set. Raises `InvalidSetting`.
    """
    variables = {
        name.upper(): text
        for name, text in (os.environ if environment is None else environment).items()
        if name.upper().startswith(PREFIX) and text and not is_service_link(name, text)
    }
    _reject_unknown_variables(variables, names, secrets)
    values = _read_toml(variables.get(CONFIG_VARIABLE))
    for name in names:
        if found := _read_variable(variables, name, secret=name in secrets):
            values[name] = found
    return values


def is_service_link(name: str, text: str) -> bool:
    """Return True for a variable that Kubernetes sets for a service named `haulier`."""
    is_address = name.upper().endswith("_PORT") and _SERVICE_ADDRESS.match(text) is not None
    return is_address or _SERVICE_LINK.fullmatch(name) is not None


def variable_of(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def _read_variable(variables: Mapping[str, str], name: str, *, secret: bool) -> SourcedValue | None:
    variable = variable_of(name)
    file_variable = variable + FILE_SUFFIX
    text, path = variables.get(variable), variables.get(file_variable) if secret else None
    if text is not None and path is not None:
        raise InvalidSetting(f"{variable} and {file_variable} are both set. Set one of them.")
    if path is not None and name in LATE_SECRETS and not Path(path).is_file():
        return SourcedValue(f"file:{Path(path).absolute()}", f"{file_variable} ({path})")
    if path is not None:
        return SourcedValue(_read_secret(path, file_variable), f"{file_variable} ({path})")
    return None if text is None else SourcedValue(text, variable)


def _read_secret(path: str, variable: str) -> str:
    """Return the content of a file without its trailing newline."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8 text"
        raise InvalidSetting(f"{variable} names {path}, which cannot be read: {reason}") from None
    return text.removesuffix("\n").removesuffix("\r")


def _read_toml(named: str | None) -> dict[str, SourcedValue]:
    if named and not Path(named).is_file():
        raise InvalidSetting(f"{CONFIG_VARIABLE} names {named}, which is not a file")
    file = Path(named or DEFAULT_FILE)
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"the file {file} is not valid TOML: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"the file {file} cannot be read: {error}") from None
    return {name: SourcedValue(value, str(file)) for name, value in values.items()}


def _reject_unknown_variables(variables: Collection[str], names: Collection[str], secrets: Collection[str]) -> None:
    files = {variable_of(name) + FILE_SUFFIX for name in secrets}
    known = {*map(variable_of, names), *files, *OTHER_VARIABLES}
    for name in variables:
        if name in known or name.startswith(TEST_PREFIX):
            continue
        if name.removesuffix(FILE_SUFFIX) in known:
            raise InvalidSetting(
                f"the environment variable {name} is not a setting. Only secrets are read from files, such as"
                f" {variable_of('database')}{FILE_SUFFIX}."
            )
        near = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"Did you mean {near[0]}?" if near else "`haulier config show` lists all settings."
        raise InvalidSetting(f"the environment variable {name} is not a setting. {hint}")


def mask_secret(text: str) -> str:
    """Return a secret for display: an address without its credentials, or `***`."""
    if "://" in text:
        return _QUERY_IN_URL.sub(f"?{MASK}", _USER_IN_URL.sub(f"://{MASK}@", text))
    return text if text.startswith("file:") else MASK
