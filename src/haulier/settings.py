"""Settings, typed: environment variables `HAULIER_*` first, then a TOML file, then these defaults.

The file is `haulier.toml` in the working directory, or the one `HAULIER_CONFIG` names.
"""

import os
import socket
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from haulier.modules import parse_modules

ENV_PREFIX = "HAULIER_"


class InvalidSetting(ValueError):
    """A setting that cannot be used; the text names it and says what was expected."""


def _default_base_url(others: dict[str, Any]) -> str:
    host = others.get("host")
    return f"http://{'127.0.0.1' if host in (None, '0.0.0.0', '::') else host}:{others.get('port', 8000)}"


def default_metrics_port(port: int) -> int:
    """The port of the metrics beside a server's: 9464, which Prometheus exporters commonly use, beside 8000."""
    return port and (port + 1464 if port + 1464 <= 65535 else port - 1464)


def _default_metrics_address(others: dict[str, Any]) -> str:
    return f"127.0.0.1:{default_metrics_port(others.get('port', 8000))}"


class Settings(BaseModel):
    """Everything an operator may set. `load_settings` reads what was set."""

    model_config = ConfigDict(extra="forbid", validate_default=True)

    database: str = Field(default="sqlite:///var/haulier.db", pattern=r"^(sqlite|postgresql)://")
    """Where data is kept: `sqlite:///path` or `postgresql://user:password@host/name`. Several hosts, one of them the primary:
    `postgresql://a:5432,b:5432/name?target_session_attrs=read-write`."""

    replicas: str | None = Field(default=None, pattern=r"^postgresql://\S+( postgresql://\S+)*$")
    """Copies of a PostgreSQL, their addresses with spaces between. They answer lists and public tracking as soon as they have
    all that was committed before the call; one that is away or late is left out."""

    database_direct: str | None = Field(default=None, pattern=r"^postgresql://")
    """The address of PostgreSQL itself where `database` is that of a pooler which lends connections for a transaction, such as
    PgBouncer 1.21 or later: for notices and migrations. Reads then run in transactions, too."""

    modules: str | None = Field(default=None, pattern=r"^[a-z_]+(\s*,\s*[a-z_]+)*$", examples=["shipping,warehouse"])
    """Modules that this instance loads, with commas between them: `contractors`, `shipping`, `warehouse`, `storage`, `lockers`,
    `chat`, `ai_agent`, `alliances`, `datasets`; `core` for none. All of them unless set. Modules that these require must be
    named, too. Operations, pages, tools and jobs of other modules do not exist; their tables are migrated all the same."""

    pool_size: int = Field(default=10, ge=1, le=1000)
    """Connections to PostgreSQL for each server or worker process, at most; one more is for notices."""

    host: str = "127.0.0.1"
    """The address to listen on."""

    port: int = Field(default=8000, ge=0, le=65535)
    """The port to listen on; 0 takes a free one."""

    base_url: str = Field(default_factory=_default_base_url, pattern=r"^https?://[^/]+$")
    """The address that the world reaches this instance at; it stands in links and documents. `http://host:port` unless set."""

    origins: str | None = Field(default=None, pattern=r"^(\*|https?://[^/\s,*]+(,https?://[^/\s,*]+)*)$")
    """Whose pages may ask at the REST and GraphQL doors from a browser: `https://shop.example,https://app.example`, or `*` for
    all. Without it no page but our own may."""

    workers: int = Field(default=1, ge=1, le=64)
    """Server processes. Several need PostgreSQL to be worth it; SQLite has one writer."""

    file_readers: int = Field(default=2, ge=1, le=32)
    """Processes that read uploaded files (tables, maps, pictures) for each server process, at most. They start with the first
    file and end after a minute without one."""

    server: Literal["uvicorn", "granian"] = "uvicorn"
    """Which ASGI server runs the application."""

    demo: bool = False
    """Serve the demo business. Refused on a database that holds anything else."""

    background: bool = True
    """Run background work inside the server process. Switch off where `haulier worker` runs beside it."""

    lanes: str | None = Field(default=None, pattern=r"^[a-z]+(=[1-9]\d{0,2})?(,[a-z]+(=[1-9]\d{0,2})?)*$")
    """Which lanes of background work this process serves, and how many jobs of each at once: `builds=2,default`. All, unless
    set: `default`, `outside` (webhooks), `batches` (lists of orders), `builds` (searches for routes), `streams`."""

    rate_limits: bool = True
    """Enforce the rate limits that operations declare."""

    ipv6_prefix: int = Field(default=64, ge=32, le=128)
    """Length of the IPv6 prefix that rate limits by address count as one caller. A smaller number groups larger networks."""

    mail: str | None = Field(default=None, pattern=r"^(smtps?://.+|file:.+)$")
    """The mail server: `smtp://user:password@host:587`, or `smtps://`, or `file:path` to try things out. Without one
    e-mails are kept and not sent; those of the demo go into `file:var/mail.jsonl`."""

    mail_from: str = "Haulier <haulier@localhost>"
    """The sender of e-mails."""

    sms: str | None = Field(default=None, pattern=r"^(file:.+|twilio://.+:.+@.+)$")
    """Who carries text messages: `twilio://account:token@api.twilio.com`, or `file:path` to try things out. Without one
    they go into `file:var/sms.jsonl` as long as the base address is this machine's own, and to nobody elsewhere."""

    sms_from: str | None = None
    """The number, name or messaging service that text messages come from."""

    smpp: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9-]+=smpps?://[^\s@/?#]+(\?[^\s#]*)?(\s+[a-z0-9-]+=smpps?://[^\s@/?#]+(\?[^\s#]*)?)*$",
    )
    """Message centres (SMPP 3.4) with which clients may have accounts: `acme=smpps://smsc.example:3550?window=20`, several with
    spaces between. `long=payload` sends long texts whole; a centre may want `listen=transceiver` and `system_type=…`."""

    carrier_simulator: str | None = Field(default=None, pattern=r"^https?://.+$")
    """The address of `haulier simulate carrier`: carrier accounts in test mode go there instead of the carriers' sandboxes."""

    payment_simulator: str | None = Field(default=None, pattern=r"^https?://.+$")
    """The address of `haulier simulate payments`: payment accounts in test mode go there instead of to Stripe."""

    secrets_keys: str | None = Field(default=None, pattern=r"^[A-Za-z0-9+/_=-]+(,[A-Za-z0-9+/_=-]+)*$", repr=False)
    """Keys that clients' passwords at providers are kept encrypted with: 32 random bytes in base64 (`openssl rand -base64 32`),
    several with commas between. The first encrypts, all decrypt. Without one, such passwords are not taken."""

    private_webhooks: bool = False
    """Let webhooks go to addresses of private networks, also without TLS: for receivers of one's own. `demo` lets them too."""

    objects: str | None = Field(default=None, pattern=r"^(file:.+|s3(\+http)?://.+:.+@.+/.+)$")
    """Where files go: `s3://key:secret@host/bucket?region=eu-west-1` (`s3+http://` without TLS), or `file:folder`. Without
    one they stay in the database."""

    signing_folder: str = "var/signing"
    """The folder of the key that signs documents and of the secret that seals cursors and quotes, where `secrets_keys` is not
    set. Several machines need `secrets_keys`: with it, the signing key is stored encrypted in the database."""

    travel: str | None = Field(default=None, pattern=r"^((osrm|valhalla)\+https?://|valhalla\+file:).+$")
    """Who knows travel times: `osrm+http://host:5000`, `valhalla+http://host:8002`, or `valhalla+file:/path/valhalla.json` for
    tiles on this machine (needs the `tiles` extra). Without one they are estimated from great circles and usual speeds."""

    geocoder: str | None = Field(
        default=None, pattern=r"^(nominatim|photon|pelias)\+https?://[^\s?#]+(\?[^\s#]*)?$", repr=False
    )
    """Who is asked where an address is that neither the business nor imported open data knows: a server that speaks the
    protocol of Nominatim, Photon or Pelias, `nominatim+https://host`. `?api_key=…` and `?per_second=1` may follow; once a
    second unless said otherwise. Without one only this database is asked."""

    map_tiles: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/\"';,]+/[^\s\"';,]*\{z\}[^\s\"';,]*$",
        examples=["https://tiles.example/{z}/{x}/{y}.png"],
    )
    """A server of map tiles (raster, web Mercator) for the maps of the pages: `https://tiles.example/{z}/{x}/{y}.png`. Browsers
    ask it directly. Without one maps show land, borders, lakes and towns (Natural Earth), and nothing is asked elsewhere."""

    map_tiles_credit: str | None = Field(default=None, max_length=200)
    """Whom to name on maps for the tiles, as their terms ask."""

    streams: str | None = Field(default=None, pattern=r"^(nats|tls)://[^\s,]+(,(nats|tls)://[^\s,]+)*$")
    """The NATS servers (with JetStream) that positions of drivers and pushes of providers wait at until a worker writes them:
    `nats://user:password@a:4222,nats://b:4222`. Needs the `streams` extra. Without any they are written straight."""

    channel: str | None = Field(
        default=None, pattern=r"^((nats|tls)://[^\s,]+(,(nats|tls)://[^\s,]+)*|mqtts?://[^\s,]+)$", repr=False
    )
    """The broker that carries what happens in chats to phones and browsers over MQTT: a NATS server,
    `nats://haulier:password@host:4222`, or Mosquitto, `mqtt://haulier:password@host:1883`. Needs the `streams` extra.
    `haulier channel config` writes its configuration. Without one they ask again."""
    channel_key: str | None = Field(default=None, min_length=58, max_length=58, repr=False)
    """The key with which this service tells a NATS server who may come in; `haulier channel config` makes one."""
    channel_address: str | None = Field(default=None, pattern=r"^(mqtts?|wss?)://[^\s,]+(,(mqtts?|wss?)://[^\s,]+)*$")
    """Where phones and browsers find that broker: `mqtts://chat.example:8883,wss://chat.example/mqtt`."""
    channel_prefix: str = Field(default="haulier", pattern=r"^[A-Za-z0-9_-]{1,32}$")
    """The first level of its topics."""

    push_web_key: str | None = Field(default=None, min_length=43, max_length=44, repr=False)
    """The key with which pushes to browsers are signed (VAPID); `haulier channel push-key` makes one. Without it none are sent.
    Browsers that registered under another key must register anew."""
    push_contact: str | None = Field(default=None, pattern=r"^(mailto:[^\s@]+@[^\s@]+|https://\S+)$")
    """Whom a push service writes to when something is wrong: `mailto:ops@example.com`. Goes with `push_web_key`."""
    push_fcm_account: Path | None = None
    """The file of a service account of Google whose project sends pushes to apps through Firebase Cloud Messaging."""
    push_apns: str | None = Field(default=None, pattern=r"^https://[^\s/?#]+\?[^\s#]+$")
    """Apple's own service for apps on its devices, with the file of a key of the team's and the app's bundle id:
    `https://api.push.apple.com?key=/run/secrets/AuthKey.p8&key_id=ABC123DEFG&team=DEF123GHIJ&topic=com.example.driver`. Apps
    under development are told through `api.sandbox.push.apple.com`."""

    agent_model: str | None = Field(
        default=None,
        pattern=r"^(anthropic|openai)\+https?://[^\s?#]+\?([^\s#]*&)?model=[^\s&#]+(&[^\s#]*)?$",
    )
    """Which model answers for the operations agent: `anthropic+https://host?model=…` for the Messages API,
    `openai+http://localhost:11434/v1?model=…` for chat completions, which local servers speak too. `&input_usd=3&output_usd=15`
    are its prices for a million tokens. Without one the clerk answers, offline, what dispatchers ask most."""

    agent_key: str | None = Field(default=None, max_length=500, repr=False)
    """The key of that model's provider."""

    node: str = Field(default_factory=lambda: socket.gethostname()[:60], pattern=r"^[A-Za-z0-9._-]{1,60}$")
    """What this machine is called in logs, in metrics and where nodes compare themselves. The machine's own name unless set."""

    clock_offset_s: float = 0.0
    """Seconds to add to this machine's clock: for trials of what a clock that is wrong does."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """How much is logged."""

    log_format: Literal["json", "console"] = "console"
    """`console` for people, `json` for machines: a record a line."""

    metrics_address: str = Field(
        default_factory=_default_metrics_address, pattern=r"^(off|(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5})$"
    )
    """Where `/metrics` is served for Prometheus, `host:port`, or `off`. Unless set it is `127.0.0.1:9464`, and beside another
    `port` than 8000 as far from that; who else may ask is the operator's choice."""

    otlp_endpoint: str | None = None
    """Where OpenTelemetry spans are sent (OTLP over HTTP); nothing is sent when absent. Needs the `telemetry` extra."""

    call_deadline_s: int = Field(default=30, ge=1, le=600)
    """How long a call may take, in seconds: waiting for a connection, a lock or the writer, and trying again, count. Then it is
    given up with 503 `DEADLINE_EXCEEDED`. Keep it below the timeouts of proxies and clients."""

    shutdown_grace_s: int = Field(default=30, ge=0, le=3600)
    """How long running calls may finish after a stop signal, and then as long again running jobs, in seconds."""

    @field_validator("modules")
    @classmethod
    def _require_loadable_modules(cls, text: str | None) -> str | None:
        parse_modules(text)
        return text


def load_settings(**given: object) -> Settings:
    """The settings in force; values given here (from a command line) beat every other source. Raises `InvalidSetting`."""
    try:
        _refuse_unknown_variables()
        values = _file_values() | _environment_values()
        return Settings.model_validate(values | {name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise InvalidSetting(
            "\n".join(
                _fault_sentence(detail["loc"], detail["msg"])
                for detail in error.errors()
                if detail["type"] != "default_factory_not_called"  # what it depends on is named already
            )
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"the file {_config_file()} is no TOML: {error}") from None


def _config_file() -> Path:
    named = os.environ.get("HAULIER_CONFIG")
    if named and not Path(named).is_file():
        raise InvalidSetting(f"HAULIER_CONFIG names {named}, which is no file")
    return Path(named or "haulier.toml")


def _file_values() -> dict[str, Any]:
    file = _config_file()
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _environment_values(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    names = {f"{ENV_PREFIX}{name.upper()}": name for name in Settings.model_fields}
    return {names[variable.upper()]: text for variable, text in environment.items() if variable.upper() in names}


def _fault_sentence(location: tuple[int | str, ...], message: str) -> str:
    name = ".".join(map(str, location))
    return f"setting {name!r} (environment: HAULIER_{name.upper()}): {message.removeprefix('Value error, ')}"


def _refuse_unknown_variables() -> None:
    known = {f"HAULIER_{name.upper()}" for name in Settings.model_fields} | {"HAULIER_CONFIG", "HAULIER_SHARED"}
    for name in os.environ:
        if name.startswith("HAULIER_") and not name.startswith("HAULIER_TEST_") and name not in known:
            raise InvalidSetting(f"the environment variable {name} is no setting; known are {', '.join(sorted(known))}")
