"""Assembly of the application from contexts, adapters and interfaces."""

import tomllib
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from msgspec import convert

import haulier.contexts
import haulier.kernel.pipeline
from haulier.adapters.agent_documents import HttpAgentDocuments
from haulier.adapters.channels import channel_for
from haulier.adapters.database import database_for
from haulier.adapters.depot_places import StoredDepotPlaces
from haulier.adapters.document_signer import PdfSigner, VaultSigningKeys
from haulier.adapters.driver_records import StoredDriverRecords
from haulier.adapters.exchange_rates import HttpExchangeRateFeed
from haulier.adapters.file_reader.pool import FileReaderPool
from haulier.adapters.geocoders import geocoder_for
from haulier.adapters.key_issuers import AccountKeyIssuers
from haulier.adapters.key_ring import KeyRing, RingVault
from haulier.adapters.key_sets import RsaKeySets
from haulier.adapters.mail_brands import StoredMailBrands
from haulier.adapters.mailer import mailer_for
from haulier.adapters.nats_stream import stream_for
from haulier.adapters.object_store import object_store_for
from haulier.adapters.openid_tokens import OpenIdTokens
from haulier.adapters.order_activity import StoredOrderActivity
from haulier.adapters.payments.directory import PaymentProviders
from haulier.adapters.pending_charges import PendingOrderCharges
from haulier.adapters.picture_reader.pooled_reader import PooledPictureReader
from haulier.adapters.regions.folder import RegionFolder, regions_folder
from haulier.adapters.regions.installs import ServerRegionInstalls
from haulier.adapters.regions.operators import AccountRegionOperators
from haulier.adapters.road_travel import RegionRoadShapes, RoadNetworks, road_travel
from haulier.adapters.simulated import simulated_services
from haulier.adapters.skill_catalogue import StoredSkillCatalogue
from haulier.adapters.smpp.lines import SmppLines, parse_centres
from haulier.adapters.sms import sms_for
from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.adapters.solver_runner import SubprocessRunner
from haulier.adapters.webhooks import HttpWebhookSender, VaultWebhookSecrets
from haulier.api.devices.broker import frames_from_broker
from haulier.api.devices.frames import Devices, FrameInterface
from haulier.api.discovery.in_process import InProcessInterfaces
from haulier.contexts.billing.ports import ExchangeRateFeed
from haulier.contexts.billing.public import KnownChargeTimes, Payables, PendingCharges
from haulier.contexts.booking.public import PAYABLES as BOOKING_PAYABLES
from haulier.contexts.control_tower.approvals.operations import ApprovalGate
from haulier.contexts.custom_fields.definitions.queries import KnownFields
from haulier.contexts.customer_apps.ports import IdTokenVerifier
from haulier.contexts.documents.ports import DocumentSigner, ObjectStore, PictureReader, SigningKeys
from haulier.contexts.driver_app.public import DriverProofAtDoor, ScannedLoading
from haulier.contexts.fleet.public import KnownDepotPlaces
from haulier.contexts.identity.accounts.queries import AccountsIdentity
from haulier.contexts.identity.ports import DriverRecords, MailBrands, Mailer, Operators, OrderActivity, WorkRelease
from haulier.contexts.integrations.ports import PortalInterfaces, SecretSealer, WebhookSender
from haulier.contexts.messaging.campaigns.jobs import listen_to_message_centres
from haulier.contexts.messaging.channels.actions import check_sign_in, end_tickets_forever
from haulier.contexts.messaging.ports import Channel, SecretVault, SmsLines, SmsProviderDirectory, SmsSender
from haulier.contexts.oauth.ports import AgentDocumentFetcher
from haulier.contexts.orders.ports import DepotPlaces, OrderRoutes, SkillCatalogue
from haulier.contexts.orders.quotes.queries import KnownRateCards
from haulier.contexts.payments.ports import PaymentProviderDirectory
from haulier.contexts.places.ports import Geocoder, MapTiles, RegionInstalls, RegionOperators, Regions, ZoneMemory
from haulier.contexts.planning.ports import SolverRunner, TravelTimes
from haulier.contexts.recipients.messages.queries import KnownMessagePolicies
from haulier.contexts.routes.ports import (
    CashCarried,
    LoadingCheck,
    NoStandbyQueue,
    NoStopsAtLockers,
    ProofAtDoor,
    RoadShapes,
    StandbyQueue,
    StopsAtLockers,
)
from haulier.contexts.routes.public import RoutesOfOrders, RouteWorkRelease
from haulier.contexts.settlements.public import StoredCashCarried
from haulier.contexts.tracking.ports import KeyIssuers, KeySetVerifier
from haulier.contexts.tracking.providers.queries import PROVIDER_KEY_PREFIX, ProviderIdentity
from haulier.contexts.tracking.timelines.queries import NumberOwners
from haulier.extensions import CARRIERS, load_extensions
from haulier.kernel import maintenance, queue_watch
from haulier.kernel.application import Application
from haulier.kernel.background.events import PreCommitHook, Subscriber
from haulier.kernel.background.jobs import JobType
from haulier.kernel.background.periodic import PeriodicTask
from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.background.streams import FactStream, StreamType
from haulier.kernel.background.tasks import running
from haulier.kernel.data.clock import DatabaseClock, local_clock
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.tables import metadata, set_table_source
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.file_reading import FileReader
from haulier.kernel.http.rate_limits import ANY_OPERATION, RateLimiter, parse_rate_limit_factors
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Feature, Module
from haulier.kernel.operations.registry import Declarations, NounWords, Registry, import_submodules
from haulier.kernel.pipeline.identity import IdentityByTokenPrefix
from haulier.kernel.values.loopback import LOOPBACK_HOSTS
from haulier.kernel.values.sealing import set_sealing_source
from haulier.key_watch import KeyWatch
from haulier.modules import ALL_MODULES, excluded_packages, loaded_manifests, parse_modules
from haulier.nodes import Node
from haulier.parts import Part, Shared
from haulier.settings import InvalidSetting, Settings

MAIL_OUTBOX = "file:var/mail.jsonl"
"""File for the emails of the demo."""
DEMO_OPERATOR = "admin@demo.example"
SMS_OUTBOX = "file:var/sms.jsonl"
"""File for SMS while the instance is only reachable from this machine."""

CLIENT_CACHES: tuple[type[ClientCache[Any]], ...] = (
    KnownChargeTimes,
    KnownDepotPlaces,
    KnownFields,
    KnownMessagePolicies,
    KnownRateCards,
)
"""Client records that a serving process caches, in addition to those of modules."""


@lru_cache
def _import_code(modules: frozenset[str]) -> tuple[ModuleType, ...]:
    """Import the pipeline, the core contexts and these modules."""
    contexts = haulier.contexts
    excluded = {f"{contexts.__name__}.{package}" for package in excluded_packages(modules)}
    kernel = (maintenance, queue_watch, *import_submodules(haulier.kernel.pipeline))
    return (*kernel, *import_submodules(contexts, excluded))


@lru_cache
def _import_excluded_tables(modules: frozenset[str]) -> None:
    """Import the tables of modules that are not loaded, without their operations."""
    for package in sorted(excluded_packages(modules)):
        found = import_module(f"{haulier.contexts.__name__}.{package}")
        for module in walk_packages(found.__path__, f"{found.__name__}."):
            if "store" in module.name.split("."):
                import_module(module.name)


def load_tables() -> None:
    """Import all tables, so that `metadata` is complete. Used by migrations."""
    _import_code(ALL_MODULES)


def list_state_diagrams() -> dict[str, str]:
    """Return the diagrams of all state machines.

    These are modules of rules with a function `mermaid`.
    """
    found = [
        module
        for module in _import_code(ALL_MODULES)
        if callable(getattr(module, "mermaid", None)) and ".rules" in module.__name__
    ]
    return {module.__name__.split(".")[3].replace("_", " ").capitalize(): module.mermaid() for module in found}


@lru_cache
def _declarations(modules: frozenset[str]) -> Declarations:
    kinds = (Operation, JobType, Subscriber, PeriodicTask, PreCommitHook, StreamType)
    return Declarations(_import_code(modules), kinds)


def registry(modules: frozenset[str] = ALL_MODULES) -> Registry:
    """Return the operations of the core and these modules."""
    return _registry(modules)


@lru_cache
def _registry(modules: frozenset[str]) -> Registry:
    found: list[Operation[Any, Any]] = _declarations(modules).of(Operation)
    words = tomllib.loads(Path(__file__).with_name("resources.toml").read_text("utf-8"))
    return Registry(sorted(found, key=lambda operation: operation.name), convert(words, NounWords))


def background(modules: frozenset[str] = ALL_MODULES) -> BackgroundRegistry:
    """Return all background work of the core and these modules."""
    return _background(modules)


@lru_cache
def _background(modules: frozenset[str]) -> BackgroundRegistry:
    found = _declarations(modules)
    return BackgroundRegistry(
        found.of(JobType),
        found.of(Subscriber),
        found.of(PeriodicTask),
        found.of(PreCommitHook),
        found.of(StreamType),
    )


def _parts(modules: frozenset[str]) -> dict[str, Part]:
    """Return the parts of these modules, each after those that it requires."""
    named = [module.name for module in loaded_manifests(modules) if module.part]
    return {name: import_module(f"haulier.parts.{name}").PART for name in named}


def _asked_at_stops() -> dict[Any, Any]:
    """Return the default adapters of routes. Loaded modules replace some of them."""
    return {
        ProofAtDoor: DriverProofAtDoor(),
        LoadingCheck: ScannedLoading(),
        CashCarried: StoredCashCarried(),
        StandbyQueue: NoStandbyQueue(),
        StopsAtLockers: NoStopsAtLockers(),
    }


def _callers() -> IdentityByTokenPrefix:
    """Return the identity provider for user tokens and provider keys."""
    accounts = AccountsIdentity()
    return IdentityByTokenPrefix(accounts, {PROVIDER_KEY_PREFIX: ProviderIdentity(accounts, AccountKeyIssuers())})


def build_application(settings: Settings, database: Database | None = None) -> Application:
    """Build an application over an unopened database, with all ports connected."""
    modules, database, catalogues = parse_modules(settings.modules), database or _database(settings), Catalogues()
    load_extensions(excluded={CARRIERS} if "shipping" not in modules else ())
    ring = KeyRing(settings.secrets_keys, Path(settings.signing_folder))
    set_sealing_source(ring.keys)
    set_table_source(partial(_import_excluded_tables, modules))
    operations, parts = registry(modules), _parts(modules)
    core = _core_adapters(settings, database, ring)
    of_modules, simulated = _adapters_of_modules(settings, catalogues, parts)
    memories = (*CLIENT_CACHES, *(memory for part in parts.values() for memory in part.memories))
    return Application(
        registry=operations,
        background=background(modules),
        database=database,
        clock=DatabaseClock(database, local=local_clock(settings.clock_offset_s)),
        catalogues=catalogues,
        identity=_callers(),
        approvals=ApprovalGate(),
        base_url=settings.base_url,
        call_deadline_s=settings.call_deadline_s,
        ipv6_prefix=settings.ipv6_prefix,
        rate_limiter=RateLimiter(database, enabled=settings.rate_limits, factors=_rate_limit_factors(settings)),
        loaded=modules,
        adapters={**core, **{memory: memory(database) for memory in memories}, **of_modules},
        test_adapters={**simulated_services(core[PaymentProviderDirectory]), **simulated},
    )


def _rate_limit_factors(settings: Settings) -> dict[str, float]:
    """Return the factors of rate limits.

    Raises `InvalidSetting` for an unknown operation.
    """
    factors = parse_rate_limit_factors(settings.rate_limit_factors)
    limited = {operation.name for operation in registry() if operation.limits} if factors else set()
    if unknown := sorted(factors.keys() - limited - {ANY_OPERATION}):
        raise InvalidSetting(
            f"setting 'rate_limit_factors': {unknown[0]!r} is not an operation with rate limits. `haulier config"
            " rate-limits` lists them. Example: login=5,*=2"
        )
    return factors


def _core_adapters(settings: Settings, database: Database, ring: KeyRing) -> dict[type[Any], Any]:
    """Return the adapters that every instance has."""
    vault = RingVault(ring)
    return {
        KeyRing: ring,
        PortalInterfaces: InProcessInterfaces(),
        **_asked_at_stops(),
        MailBrands: StoredMailBrands(),
        Mailer: mailer_for(settings.mail or (MAIL_OUTBOX if settings.demo else None), settings.mail_from),
        DriverRecords: StoredDriverRecords(),
        OrderActivity: StoredOrderActivity(),
        OrderRoutes: RoutesOfOrders(),
        PendingCharges: PendingOrderCharges(),
        WorkRelease: RouteWorkRelease(),
        **_FLEET_OF_ORDERS,
        **_text_providers(settings),
        PaymentProviderDirectory: PaymentProviders(settings.payment_simulator),
        SecretVault: vault,
        SecretSealer: VaultWebhookSecrets(vault),
        AgentDocumentFetcher: HttpAgentDocuments(),
        IdTokenVerifier: OpenIdTokens(),
        KeyIssuers: AccountKeyIssuers(),
        KeySetVerifier: RsaKeySets(),
        **_roads(settings, database),
        Operators: _operators(settings),
        Geocoder: geocoder_for(settings.geocoder),
        ExchangeRateFeed: HttpExchangeRateFeed(settings.exchange_rates),
        **_own_processes(settings),
        ObjectStore: object_store_for(settings.objects),
        DocumentSigner: PdfSigner(),
        SigningKeys: VaultSigningKeys(vault, Path(settings.signing_folder)),
        **_brokers(settings),
        NumberOwners: NumberOwners(database),
        ZoneMemory: ZoneMemory(database),
        **({MapTiles: MapTiles(settings.map_tiles, settings.map_tiles_credit)} if settings.map_tiles else {}),
    }


def _operators(settings: Settings) -> Operators:
    emails = settings.operators or (DEMO_OPERATOR if settings.demo else "")
    return Operators(frozenset(emails.casefold().split()))


def _roads(settings: Settings, database: Database) -> dict[type[Any], Any]:
    """Return the adapters over installed map regions."""
    folder = regions_folder(settings.regions, settings.database)
    regions = RegionFolder(folder, packaged=settings.demo)
    networks = RoadNetworks(regions)
    return {
        Regions: regions,
        RegionOperators: AccountRegionOperators(),
        RegionInstalls: ServerRegionInstalls(folder, database),
        TravelTimes: road_travel(settings.travel, networks),
        RoadShapes: RegionRoadShapes(networks),
    }


def _adapters_of_modules(
    settings: Settings, catalogues: Catalogues, parts: dict[str, Part]
) -> tuple[dict[type[Any], Any], dict[type[Any], Any]]:
    """Return the adapters of loaded modules, and their simulated ones."""
    sender = HttpWebhookSender(private=settings.private_webhooks or settings.demo)
    files = _file_readers(settings.file_readers)
    shared = Shared(settings=settings, catalogues=catalogues, file_readers=files, sender=sender)
    payables = {purpose: kind for part in parts.values() for purpose, kind in part.payables.items()}
    found: dict[type[Any], Any] = {WebhookSender: sender, Payables: Payables({**BOOKING_PAYABLES, **payables})}
    simulated: dict[type[Any], Any] = {}
    for part in parts.values():
        found.update(part.adapters(shared))
        simulated.update(part.simulated(shared, found))
    return found, simulated


def _brokers(settings: Settings) -> dict[type[Any], Any]:
    """Return the adapters of optional brokers.

    Without them, writes are direct and clients poll.
    """
    return {
        FactStream: stream_for(settings.streams),
        Channel: channel_for(settings.channel, settings.channel_key, settings.channel_address, settings.channel_prefix),
    }


def _text_providers(settings: Settings) -> dict[type[Any], Any]:
    """Return the adapters for SMS.

    They are the platform's provider, clients' providers and message centres.
    """
    texts = sms_for(settings.sms or _sms_outbox(settings), settings.sms_from)
    lines = SmppLines(parse_centres(settings.smpp))
    return {SmsSender: texts, SmsProviderDirectory: HttpSmsProviders(texts, smpp=lines), SmsLines: lines}


_FLEET_OF_ORDERS: dict[type[Any], Any] = {SkillCatalogue: StoredSkillCatalogue(), DepotPlaces: StoredDepotPlaces()}
"""Adapters through which orders read the fleet, a context on the same level."""


_file_readers = lru_cache(maxsize=None)(FileReaderPool)
"""One pool per process, shared by all applications, so that its size limits the number of processes."""


def _own_processes(settings: Settings) -> dict[type[Any], Any]:
    """Return the adapters that run in other processes.

    They are slow, need much memory or parse foreign files.
    """
    files = _file_readers(settings.file_readers)
    return {SolverRunner: SubprocessRunner(), FileReader: files, PictureReader: PooledPictureReader(files)}


async def begin_to_remember(app: Application, stack: AsyncExitStack) -> None:
    """Start the caches of a serving process until the stack is closed.

    Notices invalidate them.
    """
    await app.response_cache.listen(app.registry, stack)
    await app.read_cache.writes.listen(stack)
    await app.callers.listen(stack)
    await app.test_businesses.listen(stack)
    await app.adapter(NumberOwners).listen(stack)
    for memory in app.adapters.values():
        if isinstance(memory, ClientCache):
            await memory.listen(stack)


@asynccontextmanager
async def channel_sign_ins(app: Application) -> AsyncGenerator[None]:
    """Grant and revoke access to the broker while the context is open.

    Does nothing without a broker.
    """
    channel = app.adapter(Channel)
    pushes_rights = channel.configured and not channel.asks_sign_ins
    work = end_tickets_forever(app) if pushes_rights else channel.answer_sign_ins(partial(check_sign_in, app))
    try:
        async with running(work, name="channel"):
            yield
    finally:
        await channel.close()


@asynccontextmanager
async def message_centres(app: Application, *, hear: bool) -> AsyncGenerator[None]:
    """Connect to message centres while the context is open.

    Receives messages if `hear` is set.
    """
    lines = app.adapter(SmsLines)
    try:
        async with running(listen_to_message_centres(app), name="smpp") if hear and lines.configured else nullcontext():
            yield
    finally:
        await lines.close()


def device_interface(app: Application, wire: str) -> FrameInterface:
    """Return the interface for device frames of one protocol.

    Requires a module with devices.
    """
    return FrameInterface(app, app.adapter(Devices), wire)


def topic_prefix(app: Application) -> str:
    """Return the first level of MQTT topics, with or without a broker."""
    return app.adapter(Channel).prefix


@asynccontextmanager
async def device_frames(app: Application) -> AsyncGenerator[None]:
    """Answer device messages at the broker while the context is open.

    Does nothing without either.
    """
    channel = app.adapter(Channel)
    if not channel.configured or app.find_adapter(Devices) is None:
        yield
        return
    async with frames_from_broker(device_interface(app, "mqtt"), channel):
        yield


@asynccontextmanager
async def outside_connections(app: Application, *, background: bool) -> AsyncGenerator[None]:
    """Keep connections to brokers open.

    With background work, also receives from message centres.
    """
    async with channel_sign_ins(app), device_frames(app), message_centres(app, hear=background):
        try:
            yield
        finally:
            await _close_modules(app)


async def _close_modules(app: Application) -> None:
    """Close the connections of loaded modules to services."""
    for part in _parts(app.loaded).values():
        for port in part.connected:
            await app.adapter(port).close()


async def close_connections(app: Application) -> None:
    """Close all connections to brokers and services."""
    await _close_modules(app)
    await app.adapter(Channel).close()
    await app.adapter(FactStream).close()


def make_node(app: Application, settings: Settings) -> Node:
    """Return this process as a node of its database."""
    return Node(app, settings, app.adapter(ObjectStore))


def make_key_watch(app: Application) -> KeyWatch:
    """Return the comparison of this process's keys with its database."""
    return KeyWatch(app)


def _database(settings: Settings) -> Database:
    return database_for(
        settings.database,
        pool_size=settings.pool_size,
        direct_url=settings.database_direct,
        replicas=(settings.replicas or "").split(),
    )


def _sms_outbox(settings: Settings) -> str | None:
    """Return the file for SMS without a provider.

    Returns None if real customers would wait for the messages.
    """
    return SMS_OUTBOX if settings.demo or urlsplit(settings.base_url).hostname in LOOPBACK_HOSTS else None


async def detect_missing_modules(app: Application) -> None:
    """Detect modules and opt-in families without tables.

    Their operations are refused until a migration.
    """
    present = await app.database.table_names()
    lacking = [table.info for table in metadata.tables.values() if table.name not in present]
    modules = {Module(info["module"]) for info in lacking if "module" in info}
    features = {Feature(info["feature"]) for info in lacking if "feature" in info}
    app.modules_missing = frozenset(modules | features)
