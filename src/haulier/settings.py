"""Typed settings from environment variables, a TOML file and defaults.

Environment variables are named `HAULIER_*` and take precedence over the file.

The file is `haulier.toml` in the working directory, or the one that `HAULIER_CONFIG` names.
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
    """Raised for an invalid setting. The message names it and the expected value."""


def _default_base_url(others: dict[str, Any]) -> str:
    host = others.get("host")
    return f"http://{'127.0.0.1' if host in (None, '0.0.0.0', '::') else host}:{others.get('port', 8000)}"


def default_metrics_port(port: int) -> int:
    """Return the port for metrics: the server's port plus 1464 (9464 for 8000)."""
    return port and (port + 1464 if port + 1464 <= 65535 else port - 1464)


def _default_metrics_address(others: dict[str, Any]) -> str:
    return f"127.0.0.1:{default_metrics_port(others.get('port', 8000))}"


class Settings(BaseModel):
    """All settings of an operator. Use `load_settings` to read them."""

    model_config = ConfigDict(extra="forbid", validate_default=True)

    database: str = Field(default="sqlite:///var/haulier.db", pattern=r"^(sqlite|postgresql)://")
    """Database URL: `sqlite:///path` or `postgresql://user:password@host/name`. A URL can list several hosts, one of
    them the primary: `postgresql://a:5432,b:5432/name?target_session_attrs=read-write`."""

    replicas: str | None = Field(default=None, pattern=r"^postgresql://\S+( postgresql://\S+)*$")
    """URLs of PostgreSQL replicas, separated by spaces. A replica serves lists and public tracking once it has
    everything that was committed before the call. Replicas that are unavailable or behind are skipped."""

    database_direct: str | None = Field(default=None, pattern=r"^postgresql://")
    """URL of PostgreSQL itself, if `database` is a pooler in transaction mode, such as PgBouncer 1.21 or later. Used
    for notices and migrations. Reads then run in transactions, too."""

    modules: str | None = Field(default=None, pattern=r"^[a-z_]+(\s*,\s*[a-z_]+)*$", examples=["shipping,warehouse"])
    """Modules to load, comma-separated: `contractors`, `shipping`, `warehouse`, `storage`, `lockers`, `chat`,
    `ai_agent`, `alliances`, `datasets`, or `core` for none. Default: all. Required modules must be listed, too.
    Operations, pages, tools and jobs of other modules do not exist, but their tables are migrated."""

    pool_size: int = Field(default=10, ge=1, le=1000)
    """Maximum number of PostgreSQL connections per server or worker process, plus one for notices."""

    host: str = "127.0.0.1"
    """Address to listen on."""

    port: int = Field(default=8000, ge=0, le=65535)
    """Port to listen on; 0 selects a free one."""

    base_url: str = Field(default_factory=_default_base_url, pattern=r"^https?://[^/]+$")
    """Public URL of this instance, used in links and documents. Default: `http://host:port`."""

    origins: str | None = Field(default=None, pattern=r"^(\*|https?://[^/\s,*]+(,https?://[^/\s,*]+)*)$")
    """Origins whose pages may call the REST and GraphQL APIs from a browser:
    `https://shop.example,https://app.example`, or `*` for all. By default only Haulier's own pages may."""

    workers: int = Field(default=1, ge=1, le=64)
    """Number of server processes. Use several with PostgreSQL only, because SQLite has one writer."""

    file_readers: int = Field(default=2, ge=1, le=32)
    """Maximum number of processes per server process that read uploaded files (tables, maps, pictures). They start
    with the first file and end after a minute without one."""

    server: Literal["uvicorn", "granian"] = "uvicorn"
    """ASGI server that runs the application."""

    demo: bool = False
    """Serve the demo business. Refused for a database with other data."""

    demo_live: bool = True
    """Move the drivers of the demo along their routes in real time. Disable it to pause them."""

    background: bool = True
    """Run background work in the server process. Disable it if `haulier worker` runs separately."""

    lanes: str | None = Field(default=None, pattern=r"^[a-z]+(=[1-9]\d{0,2})?(,[a-z]+(=[1-9]\d{0,2})?)*$")
    """Lanes of background work that this process serves, with the number of parallel jobs: `builds=2,default`.
    Default: all, which are `default`, `outside` (webhooks), `batches` (bulk orders), `builds` (route searches),
    `streams` and others."""

    rate_limits: bool = True
    """Enforce the rate limits of operations."""

    ipv6_prefix: int = Field(default=64, ge=32, le=128)
    """Length of the IPv6 prefix that counts as one caller in rate limits. A smaller number groups larger networks."""

    mail: str | None = Field(default=None, pattern=r"^(smtps?://.+|file:.+)$")
    """Mail server: `smtp://user:password@host:587`, `smtps://…`, or `file:path` for tests. Without one, emails are
    stored but not sent, and the demo writes them to `file:var/mail.jsonl`."""

    mail_from: str = "Haulier <haulier@localhost>"
    """Sender of emails."""

    sms: str | None = Field(default=None, pattern=r"^(file:.+|twilio://.+:.+@.+)$")
    """SMS provider: `twilio://account:token@api.twilio.com`, or `file:path` for tests. Without one, SMS go to
    `file:var/sms.jsonl` if `base_url` is a loopback address; otherwise they are not sent."""

    sms_from: str | None = None
    """Number, name or messaging service that sends SMS."""

    smpp: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9-]+=smpps?://[^\s@/?#]+(\?[^\s#]*)?(\s+[a-z0-9-]+=smpps?://[^\s@/?#]+(\?[^\s#]*)?)*$",
    )
    """SMPP 3.4 message centres at which clients may have accounts: `acme=smpps://smsc.example:3550?window=20`,
    separated by spaces. `long=payload` sends long messages in one piece; some centres require `listen=transceiver`
    and `system_type=…`."""

    carrier_simulator: str | None = Field(default=None, pattern=r"^https?://.+$")
    """URL of `haulier simulate carrier`, which then replaces the carriers' sandboxes for accounts in test mode."""

    payment_simulator: str | None = Field(default=None, pattern=r"^https?://.+$")
    """URL of `haulier simulate payments`, which then replaces Stripe for payment accounts in test mode."""

    secrets_keys: str | None = Field(default=None, pattern=r"^[A-Za-z0-9+/_=-]+(,[A-Za-z0-9+/_=-]+)*$", repr=False)
    """Keys that encrypt clients' provider credentials: 32 random bytes in base64 (`openssl rand -base64 32`),
    comma-separated. The first one encrypts, all of them decrypt. Without a key, such credentials are refused."""

    private_webhooks: bool = False
    """Allow webhooks to private networks and without TLS, for your own receivers. Also allowed by `demo`."""

    objects: str | None = Field(default=None, pattern=r"^(file:.+|s3(\+http)?://.+:.+@.+/.+)$")
    """Object store: `s3://key:secret@host/bucket?region=eu-west-1` (`s3+http://` without TLS) or `file:folder`. By
    default files are stored in the database."""

    signing_folder: str = "var/signing"
    """Folder of the key that signs documents and of the secret that seals cursors and quotes, if `secrets_keys` is
    not set. Several machines require `secrets_keys`: the signing key is then stored encrypted in the database."""

    travel: str | None = Field(default=None, pattern=r"^((osrm|valhalla)\+https?://|valhalla\+file:).+$")
    """Source of travel times: `osrm+http://host:5000`, `valhalla+http://host:8002`, or
    `valhalla+file:/path/valhalla.json` for local tiles (requires the `tiles` extra). By default they are estimated
    from distances and usual speeds."""

    geocoder: str | None = Field(
        default=None, pattern=r"^(nominatim|photon|pelias)\+https?://[^\s?#]+(\?[^\s#]*)?$", repr=False
    )
    """Geocoder for addresses that neither the business nor imported open data knows: a server with the protocol of
    Nominatim, Photon or Pelias, such as `nominatim+https://host`. `?api_key=…` and `?per_second=1` may follow; the
    default is one request per second. Without a geocoder, only the database is searched."""

    exchange_rates: str | None = Field(default=None, pattern=r"^https?://\S+$")
    """URL of a daily file of exchange rates in a format of the European Central Bank (XML, CSV or ZIP). It is fetched
    every six hours and imported for businesses that enabled the daily import. By default none is fetched."""

    map_tiles: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/\"';,]+/[^\s\"';,]*\{z\}[^\s\"';,]*$",
        examples=["https://tiles.example/{z}/{x}/{y}.png"],
    )
    """Server of raster map tiles (web Mercator) for maps on pages: `https://tiles.example/{z}/{x}/{y}.png`. Browsers
    load them directly. By default maps show installed regions over the outlines of the world (Natural Earth) without
    external requests."""

    regions: str | None = Field(default=None, min_length=1, max_length=500, examples=["/srv/haulier/regions"])
    """Folder of installed map regions (`haulier region add`). Default: `regions` beside a SQLite database, otherwise
    `var/regions`. Several machines need the same folder, or a copy of it."""

    map_tiles_credit: str | None = Field(default=None, max_length=200)
    """Attribution shown on maps, as required by the terms of the tiles."""

    streams: str | None = Field(default=None, pattern=r"^(nats|tls)://[^\s,]+(,(nats|tls)://[^\s,]+)*$")
    """NATS servers (with JetStream) that store driver positions and provider pushes until a worker writes them:
    `nats://user:password@a:4222,nats://b:4222`. Requires the `streams` extra. By default they are written directly."""

    channel: str | None = Field(
        default=None, pattern=r"^((nats|tls)://[^\s,]+(,(nats|tls)://[^\s,]+)*|mqtts?://[^\s,]+)$", repr=False
    )
    """Broker that carries chat events to phones and browsers over MQTT: a NATS server,
    `nats://haulier:password@host:4222`, or Mosquitto, `mqtt://haulier:password@host:1883`. Requires the `streams`
    extra. `haulier channel config` prints its configuration. By default clients poll."""
    channel_key: str | None = Field(default=None, min_length=58, max_length=58, repr=False)
    """Key with which this service authorises clients at a NATS server. `haulier channel config` creates one."""
    channel_address: str | None = Field(default=None, pattern=r"^(mqtts?|wss?)://[^\s,]+(,(mqtts?|wss?)://[^\s,]+)*$")
    """Public addresses of that broker: `mqtts://chat.example:8883,wss://chat.example/mqtt`."""
    channel_prefix: str = Field(default="haulier", pattern=r"^[A-Za-z0-9_-]{1,32}$")
    """First level of its topics."""

    push_web_key: str | None = Field(default=None, min_length=43, max_length=44, repr=False)
    """Key that signs browser push notifications (VAPID). `haulier channel push-key` creates one. Without it, none are
    sent. Browsers must register again after a change."""
    push_contact: str | None = Field(default=None, pattern=r"^(mailto:[^\s@]+@[^\s@]+|https://\S+)$")
    """Contact for push services: `mailto:ops@example.com`. Required with `push_web_key`."""
    push_fcm_account: Path | None = None
    """File of a Google service account whose project sends push notifications through Firebase Cloud Messaging."""
    push_apns: str | None = Field(default=None, pattern=r"^https://[^\s/?#]+\?[^\s#]+$")
    """Apple push notification service, with a key file, key id, team and bundle id:
    `https://api.push.apple.com?key=/run/secrets/AuthKey.p8&key_id=ABC123DEFG&team=DEF123GHIJ&topic=com.example.driver`.
    Development builds use `api.sandbox.push.apple.com`."""

    agent_model: str | None = Field(
        default=None,
        pattern=r"^(anthropic|openai)\+https?://[^\s?#]+\?([^\s#]*&)?model=[^\s&#]+(&[^\s#]*)?$",
    )
    """Model of the operations agent: `anthropic+https://host?model=…` for the Messages API, or
    `openai+http://localhost:11434/v1?model=…` for chat completions, which local servers support, too.
    `&input_usd=3&output_usd=15` are its prices per million tokens. By default an offline assistant answers the most
    common questions."""

    agent_key: str | None = Field(default=None, max_length=500, repr=False)
    """API key of the model's provider."""

    node: str = Field(default_factory=lambda: socket.gethostname()[:60], pattern=r"^[A-Za-z0-9._-]{1,60}$")
    """Name of this machine in logs, metrics and comparisons of nodes. Default: the host name."""

    clock_offset_s: float = 0.0
    """Seconds to add to this machine's clock, to test the effects of a wrong clock."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Minimum level of log messages."""

    log_format: Literal["json", "console"] = "console"
    """`console` for people, `json` for machines with one record per line."""

    metrics_address: str = Field(
        default_factory=_default_metrics_address, pattern=r"^(off|(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5})$"
    )
    """Address of `/metrics` for Prometheus, `host:port`, or `off`. Default: `127.0.0.1` with the server's port plus
    1464 (9464 for 8000). Restrict access as needed."""

    otlp_endpoint: str | None = None
    """OTLP/HTTP endpoint for OpenTelemetry spans. By default none are sent. Requires the `telemetry` extra."""

    call_deadline_s: int = Field(default=30, ge=1, le=600)
    """Time limit of a call in seconds, including waits for connections, locks and the writer, and retries. Then it
    fails with 503 `DEADLINE_EXCEEDED`. Keep it below the timeouts of proxies and clients."""

    shutdown_grace_s: int = Field(default=30, ge=0, le=3600)
    """Seconds that running calls, and then running jobs, may take to finish after a stop signal."""

    @field_validator("modules")
    @classmethod
    def _require_loadable_modules(cls, text: str | None) -> str | None:
        parse_modules(text)
        return text


def load_settings(**given: object) -> Settings:
    """Return the effective settings. Values passed in take precedence.

    Raises `InvalidSetting`.
    """
    try:
        _refuse_unknown_variables()
        values = _file_values() | _environment_values()
        return Settings.model_validate(values | {name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise InvalidSetting(
            "\n".join(
                _fault_sentence(detail["loc"], detail["msg"])
                for detail in error.errors()
                if detail["type"] != "default_factory_not_called"  # the setting it depends on is reported
            )
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"the file {_config_file()} is not valid TOML: {error}") from None


def _config_file() -> Path:
    named = os.environ.get("HAULIER_CONFIG")
    if named and not Path(named).is_file():
        raise InvalidSetting(f"HAULIER_CONFIG names {named}, which is not a file")
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
            raise InvalidSetting(
                f"the environment variable {name} is not a setting. Known are {', '.join(sorted(known))}."
            )
