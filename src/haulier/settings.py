"""Typed settings from environment variables, a TOML file and defaults.

Environment variables are named `HAULIER_*` and take precedence over the file. A secret, which is a field with
`repr=False`, can also be in a file that `HAULIER_<NAME>_FILE` names.

The file is `haulier.toml` in the working directory, or the one that `HAULIER_CONFIG` names.
"""

import os
import socket
from base64 import b64decode
from binascii import Error as NotBase64
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from haulier.modules import parse_modules
from haulier.setting_sources import FILE_SUFFIX, SourcedValue, mask_secret, read_sources, variable_of
from haulier.setting_sources import InvalidSetting as InvalidSetting

SECRET_KEY_BYTES = 32


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

    database: str = Field(
        default="sqlite:///var/haulier.db",
        pattern=r"^(sqlite|postgresql)://",
        examples=["postgresql://haulier:password@db.example/haulier"],
        repr=False,
    )
    """Database URL: `sqlite:///path` or `postgresql://user:password@host/name`. A URL can list several hosts, one of
    them the primary: `postgresql://a:5432,b:5432/name?target_session_attrs=read-write`."""

    replicas: str | None = Field(
        default=None,
        pattern=r"^postgresql://\S+( postgresql://\S+)*$",
        examples=["postgresql://haulier:password@replica.example/haulier"],
        repr=False,
    )
    """URLs of PostgreSQL replicas, separated by spaces. A replica serves lists and public tracking once it has
    everything that was committed before the call. Replicas that are unavailable or behind are skipped."""

    database_direct: str | None = Field(
        default=None,
        pattern=r"^postgresql://",
        examples=["postgresql://haulier:password@db.example/haulier"],
        repr=False,
    )
    """URL of PostgreSQL itself, if `database` is a pooler in transaction mode, such as PgBouncer 1.21 or later. Used
    for notices and migrations. Reads then run in transactions, too."""

    modules: str | None = Field(default=None, pattern=r"^[a-z_]+(\s*,\s*[a-z_]+)*$", examples=["shipping,warehouse"])
    """Modules to load, comma-separated: `contractors`, `shipping`, `warehouse`, `packing`, `storage`, `lockers`,
    `locker_commerce`, `chat`, `ai_agent`, `alliances`, `datasets`, or `core` for none. Default: all. Required modules
    must be listed, too.
    Operations, pages, tools and jobs of other modules do not exist, but their tables are migrated."""

    database_wait_s: int = Field(default=60, ge=0, le=3600)
    """Seconds that servers, workers and `haulier db upgrade` wait at the start for an unreachable PostgreSQL."""

    pool_size: int = Field(default=10, ge=1, le=1000)
    """Maximum number of PostgreSQL connections per server or worker process, plus one for notices."""

    host: str = "127.0.0.1"
    """Address to listen on."""

    port: int = Field(default=8000, ge=0, le=65535)
    """Port to listen on; 0 selects a free one."""

    base_url: str = Field(
        default_factory=_default_base_url, pattern=r"^https?://[^/]+$", examples=["https://freight.example"]
    )
    """Public URL of this instance, used in links and documents. Default: `http://host:port`."""

    origins: str | None = Field(
        default=None,
        pattern=r"^(\*|https?://[^/\s,*]+(,https?://[^/\s,*]+)*)$",
        examples=["https://shop.example,https://app.example"],
    )
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

    lanes: str | None = Field(
        default=None,
        pattern=r"^[a-z_]+(=[1-9]\d{0,2})?(,[a-z_]+(=[1-9]\d{0,2})?)*$",
        examples=["builds=2,default"],
    )
    """Lanes of background work that this process serves, with the number of parallel jobs: `builds=2,default`.
    Default: all, which are `default`, `outside` (webhooks), `batches` (bulk orders), `builds` (route searches),
    `regions` (map regions), `streams` and others."""

    rate_limits: bool = True
    """Enforce the rate limits of operations."""

    rate_limit_factors: str | None = Field(
        default=None,
        pattern=r"^(\*|[a-z_.]+)=\d{1,4}(\.\d{1,3})?(,(\*|[a-z_.]+)=\d{1,4}(\.\d{1,3})?)*$",
        examples=["login=5,*=2"],
    )
    """Factors for the rate limits of operations, comma-separated: `login=5` allows five times as many calls, `*=2`
    doubles all other limits. `haulier config rate-limits` lists the limits."""

    ipv6_prefix: int = Field(default=64, ge=32, le=128)
    """Length of the IPv6 prefix that counts as one caller in rate limits. A smaller number groups larger networks."""

    mail: str | None = Field(
        default=None,
        pattern=r"^(smtps?://.+|file:.+)$",
        examples=["smtps://user:password@mail.example"],
        repr=False,
    )
    """Mail server: `smtp://user:password@host:587`, `smtps://…`, or `file:path` for tests. Without one, emails are
    stored but not sent, and the demo writes them to `file:var/mail.jsonl`."""

    mail_from: str = "Haulier <haulier@localhost>"
    """Sender of emails."""

    sms: str | None = Field(
        default=None,
        pattern=r"^(file:.+|twilio://.+:.+@.+)$",
        examples=["twilio://account:token@api.twilio.com"],
        repr=False,
    )
    """SMS provider: `twilio://account:token@api.twilio.com`, or `file:path` for tests. Without one, SMS go to
    `file:var/sms.jsonl` if `base_url` is a loopback address; otherwise they are not sent."""

    sms_from: str | None = Field(default=None, examples=["+14165550100"])
    """Number, name or messaging service that sends SMS."""

    smpp: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9-]+=smpps?://[^\s@/?#]+(\?[^\s#]*)?(\s+[a-z0-9-]+=smpps?://[^\s@/?#]+(\?[^\s#]*)?)*$",
        examples=["acme=smpps://smsc.example:3550?window=20"],
    )
    """SMPP 3.4 message centres at which clients may have accounts: `acme=smpps://smsc.example:3550?window=20`,
    separated by spaces. `long=payload` sends long messages in one piece; some centres require `listen=transceiver`
    and `system_type=…`."""

    carrier_simulator: str | None = Field(default=None, pattern=r"^https?://.+$", examples=["http://127.0.0.1:8090"])
    """URL of `haulier simulate carrier`, which then replaces the carriers' sandboxes for accounts in test mode."""

    payment_simulator: str | None = Field(default=None, pattern=r"^https?://.+$", examples=["http://127.0.0.1:8091"])
    """URL of `haulier simulate payments`, which then replaces Stripe for payment accounts in test mode."""

    secrets_keys: str | None = Field(
        default=None,
        pattern=r"^(file:.+|[A-Za-z0-9+/_=-]+(,[A-Za-z0-9+/_=-]+)*)$",
        examples=["q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="],
        repr=False,
    )
    """Keys that encrypt clients' provider credentials: 32 random bytes in base64 (`openssl rand -base64 32`),
    comma-separated. The first one encrypts, all of them decrypt. Without a key, such credentials are refused.
    `file:path` reads them from a file that may appear later; until then the server is not ready."""

    private_webhooks: bool = False
    """Allow webhooks to private networks and without TLS, for your own receivers. Also allowed by `demo`."""

    objects: str | None = Field(
        default=None,
        pattern=r"^(file:.+|s3(\+http)?://.+:.+@.+/.+)$",
        examples=["s3://key:secret@s3.eu-west-1.amazonaws.com/bucket?region=eu-west-1"],
        repr=False,
    )
    """Object store: `s3://key:secret@host/bucket?region=eu-west-1` (`s3+http://` without TLS) or `file:folder`. By
    default files are stored in the database."""

    signing_folder: str = "var/signing"
    """Folder of the key that signs documents and of the secret that seals cursors and quotes, if `secrets_keys` is
    not set. Several machines require `secrets_keys`: the signing key is then stored encrypted in the database."""

    travel: str | None = Field(
        default=None,
        pattern=r"^((osrm|valhalla)\+https?://|valhalla\+file:).+$",
        examples=["osrm+http://osrm.example:5000"],
    )
    """Source of travel times: `osrm+http://host:5000`, `valhalla+http://host:8002`, or
    `valhalla+file:/path/valhalla.json` for local tiles (requires the `tiles` extra). By default they are estimated
    from distances and usual speeds."""

    geocoder: str | None = Field(
        default=None,
        pattern=r"^(nominatim|photon|pelias)\+https?://[^\s?#]+(\?[^\s#]*)?$",
        examples=["nominatim+https://nominatim.example"],
        repr=False,
    )
    """Geocoder for addresses that neither the business nor imported open data knows: a server with the protocol of
    Nominatim, Photon or Pelias, such as `nominatim+https://host`. `?api_key=…` and `?per_second=1` may follow; the
    default is one request per second. Without a geocoder, only the database is searched."""

    exchange_rates: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        examples=["https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"],
    )
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

    operators: str | None = Field(
        default=None, pattern=r"^[^\s@]+@[^\s@]+(\s+[^\s@]+@[^\s@]+)*$", examples=["ops@example.com"]
    )
    """Email addresses of the admins who manage the server on pages, such as its map regions, separated by spaces. By
    default these are the admins of the only business; with several businesses there are none."""

    map_tiles_credit: str | None = Field(default=None, max_length=200, examples=["© OpenStreetMap contributors"])
    """Attribution shown on maps, as required by the terms of the tiles."""

    streams: str | None = Field(
        default=None,
        pattern=r"^(nats|tls)://[^\s,]+(,(nats|tls)://[^\s,]+)*$",
        examples=["nats://user:password@nats.example:4222"],
        repr=False,
    )
    """NATS servers (with JetStream) that store driver positions and provider pushes until a worker writes them:
    `nats://user:password@a:4222,nats://b:4222`. Requires the `streams` extra. By default they are written directly."""

    channel: str | None = Field(
        default=None,
        pattern=r"^((nats|tls)://[^\s,]+(,(nats|tls)://[^\s,]+)*|mqtts?://[^\s,]+)$",
        examples=["nats://haulier:password@nats.example:4222"],
        repr=False,
    )
    """Broker that carries chat events to phones and browsers over MQTT: a NATS server,
    `nats://haulier:password@host:4222`, or Mosquitto, `mqtt://haulier:password@host:1883`. Requires the `streams`
    extra. `haulier channel config` prints its configuration. By default clients poll."""
    channel_key: str | None = Field(
        default=None, min_length=58, max_length=58, examples=["the output of `haulier channel config`"], repr=False
    )
    """Key with which this service authorises clients at a NATS server. `haulier channel config` creates one."""
    channel_address: str | None = Field(
        default=None,
        pattern=r"^(mqtts?|wss?)://[^\s,]+(,(mqtts?|wss?)://[^\s,]+)*$",
        examples=["mqtts://chat.example:8883,wss://chat.example/mqtt"],
    )
    """Public addresses of that broker: `mqtts://chat.example:8883,wss://chat.example/mqtt`."""
    channel_prefix: str = Field(default="haulier", pattern=r"^[A-Za-z0-9_-]{1,32}$")
    """First level of its topics."""

    push_web_key: str | None = Field(
        default=None, min_length=43, max_length=44, examples=["the output of `haulier channel push-key`"], repr=False
    )
    """Key that signs browser push notifications (VAPID). `haulier channel push-key` creates one. Without it, none are
    sent. Browsers must register again after a change."""
    push_contact: str | None = Field(
        default=None, pattern=r"^(mailto:[^\s@]+@[^\s@]+|https://\S+)$", examples=["mailto:ops@freight.example"]
    )
    """Contact for push services: `mailto:ops@example.com`. Required with `push_web_key`."""
    push_fcm_account: Path | None = Field(default=None, examples=["/run/secrets/fcm.json"])
    """File of a Google service account whose project sends push notifications through Firebase Cloud Messaging."""
    push_apns: str | None = Field(
        default=None,
        pattern=r"^https://[^\s/?#]+\?[^\s#]+$",
        examples=["https://api.push.apple.com?key=/run/secrets/AuthKey.p8&key_id=ABC123DEFG&team=DEF123GHIJ&topic=app"],
    )
    """Apple push notification service, with a key file, key id, team and bundle id:
    `https://api.push.apple.com?key=/run/secrets/AuthKey.p8&key_id=ABC123DEFG&team=DEF123GHIJ&topic=com.example.driver`.
    Development builds use `api.sandbox.push.apple.com`."""

    agent_model: str | None = Field(
        default=None,
        pattern=r"^(anthropic|openai)\+https?://[^\s?#]+\?([^\s#]*&)?model=[^\s&#]+(&[^\s#]*)?$",
        examples=["openai+http://localhost:11434/v1?model=llama3.1"],
    )
    """Model of the operations agent: `anthropic+https://host?model=…` for the Messages API, or
    `openai+http://localhost:11434/v1?model=…` for chat completions, which local servers support, too.
    `&input_usd=3&output_usd=15` are its prices per million tokens. By default an offline assistant answers the most
    common questions."""

    agent_key: str | None = Field(default=None, max_length=500, examples=["sk-…"], repr=False)
    """API key of the model's provider."""

    node: str = Field(
        default_factory=lambda: socket.gethostname()[:60], pattern=r"^[A-Za-z0-9._-]{1,60}$", examples=["server-1"]
    )
    """Name of this machine in logs, metrics and comparisons of nodes. Default: the host name."""

    clock_offset_s: float = 0.0
    """Seconds to add to this machine's clock, to test the effects of a wrong clock."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Minimum level of log messages."""

    log_format: Literal["json", "console"] = "console"
    """`console` for people, `json` for machines with one record per line."""

    metrics_address: str = Field(
        default_factory=_default_metrics_address,
        pattern=r"^(off|(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):\d{1,5})$",
        examples=["127.0.0.1:9464"],
    )
    """Address of `/metrics` for Prometheus, `host:port`, or `off`. Default: `127.0.0.1` with the server's port plus
    1464 (9464 for 8000). Restrict access as needed."""

    otlp_endpoint: str | None = Field(
        default=None, pattern=r"^https?://[^\s/]+\S*$", examples=["http://collector.example:4318"]
    )
    """OTLP/HTTP endpoint for OpenTelemetry spans. By default none are sent. Requires the `telemetry` extra."""

    call_deadline_s: int = Field(default=30, ge=1, le=600)
    """Time limit of a call in seconds, including waits for connections, locks and the writer, and retries. Then it
    fails with 503 `DEADLINE_EXCEEDED`. Keep it below the timeouts of proxies and clients."""

    shutdown_grace_s: int = Field(default=30, ge=0, le=3600)
    """Seconds that running calls, and then running jobs, may take to finish after a stop signal."""

    @field_validator("secrets_keys")
    @classmethod
    def _require_whole_keys(cls, text: str | None) -> str | None:
        for key in text.split(",") if text and not text.startswith("file:") else ():
            standard = key.rstrip("=").replace("-", "+").replace("_", "/")
            try:
                is_whole = len(b64decode(standard + "=" * (-len(standard) % 4), validate=True)) == SECRET_KEY_BYTES
            except NotBase64:
                is_whole = False
            if not is_whole:
                raise ValueError("each key is 32 random bytes in base64 (openssl rand -base64 32)")
        return text

    @field_validator("modules")
    @classmethod
    def _require_loadable_modules(cls, text: str | None) -> str | None:
        parse_modules(text)
        return text


SECRETS = frozenset(name for name, field in Settings.model_fields.items() if not field.repr)
"""Settings that hold credentials. They are masked when shown, and can be read from files."""


class ShownSetting(SourcedValue, frozen=True):
    """A setting with its effective value, masked if it is a secret."""

    name: str


def load_settings(**given: object) -> Settings:
    """Return the effective settings. Values passed in take precedence.

    Raises `InvalidSetting`.
    """
    return _validate({name: found.value for name, found in _read_all(given).items()})


def list_settings(**given: object) -> list[ShownSetting]:
    """Return every setting with its value and source, by name. Secrets are masked.

    Raises `InvalidSetting`.
    """
    sources = _read_all(given)
    values = _validate({name: found.value for name, found in sources.items()})
    return [
        ShownSetting(
            mask_secret(str(value)) if name in SECRETS and value is not None else value,
            sources[name].source if name in sources else "default",
            name,
        )
        for name, value in sorted(values.model_dump(mode="json").items())
    ]


def export_settings(settings: Settings) -> None:
    """Pass settings to child processes in the environment.

    Secrets stay in their files.
    """
    in_files = {name: found.value for name, found in read_sources(Settings.model_fields, SECRETS).items()}
    for name, value in settings.model_dump(exclude_none=True).items():
        variable = variable_of(name)
        if variable + FILE_SUFFIX in os.environ:
            if in_files.get(name) == value:
                continue
            del os.environ[variable + FILE_SUFFIX]
        os.environ[variable] = str(value).lower() if isinstance(value, bool) else str(value)


def example_of(name: str) -> object:
    """Return a valid example of a setting: the declared one, or the default."""
    field = Settings.model_fields[name]
    example = field.examples[0] if field.examples else field.default
    return str(example).lower() if isinstance(example, bool) else example


def _read_all(given: dict[str, object]) -> dict[str, SourcedValue]:
    passed = {name: SourcedValue(value, "command line") for name, value in given.items() if value is not None}
    return read_sources(Settings.model_fields, SECRETS) | passed


def _validate(values: dict[str, Any]) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise InvalidSetting(
            "\n".join(
                _fault_sentence(detail["loc"], detail["type"], detail["msg"])
                for detail in error.errors()
                if detail["type"] != "default_factory_not_called"  # the setting it depends on is reported
            )
        ) from None


def _fault_sentence(location: tuple[int | str, ...], kind: str, message: str) -> str:
    """Return one line: the setting, what is wrong, and an example.

    The value is not repeated, because it can be a secret.
    """
    name = ".".join(map(str, location))
    if name not in Settings.model_fields:
        return f"{name!r} is not a setting. `haulier config show` lists all settings."
    wrong = (
        "the value has the wrong form" if kind == "string_pattern_mismatch" else message.removeprefix("Value error, ")
    )
    return f"setting {name!r} (environment: {variable_of(name)}): {wrong.rstrip('.')}. Example: {example_of(name)}"
