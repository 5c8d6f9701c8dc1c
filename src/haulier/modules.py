"""Modules: parts of the application that an operator can leave out.

The operations, pages, tools and jobs of a module that is not loaded do not exist in the process. The tables of all
modules are always migrated, so a module can be enabled later.
"""

from collections.abc import Iterator

from msgspec import Struct


class ModuleManifest(Struct, frozen=True, kw_only=True):
    """A module: its packages, required modules and pages."""

    name: str
    title: str
    requires: tuple[str, ...] = ()
    """Modules whose packages this one imports."""
    packages: tuple[str, ...]
    """Contexts and families below `haulier.contexts`. A family takes precedence over its context."""
    pages: tuple[str, ...] = ()
    """Modules below `haulier.web` with a function `module_routes`."""
    part: bool = False
    """True if `haulier.parts.<name>` connects it to adapters."""


MODULES: tuple[ModuleManifest, ...] = (
    ModuleManifest(name="contractors", title="Contractors and partners", packages=("marketplace",), part=True),
    ModuleManifest(
        name="shipping",
        title="Shipping",
        packages=("shipping", "freight"),
        part=True,
        pages=("desk.shipping_rules", "desk.ship"),
    ),
    ModuleManifest(
        name="warehouse",
        title="Warehouse",
        packages=("warehouse",),
        pages=("pages.handheld", "desk.warehouse"),
        part=True,
    ),
    ModuleManifest(
        name="packing",
        title="Packing and loading",
        requires=("warehouse", "shipping"),
        packages=("warehouse.load_plans", "warehouse.packing", "warehouse.plan_searches"),
        pages=("desk.plans.site",),
        part=True,
    ),
    ModuleManifest(
        name="storage",
        title="Storage",
        requires=("shipping", "warehouse"),
        packages=("consolidation", "storage"),
        pages=("desk.storage",),
        part=True,
    ),
    ModuleManifest(
        name="lockers",
        title="Lockers",
        packages=("lockers", "driver_app.locker_stops"),
        pages=("pages.kiosk", "pages.returns", "desk.lockers"),
        part=True,
    ),
    ModuleManifest(
        name="locker_commerce",
        title="Locker commerce",
        requires=("lockers",),
        packages=(
            "lockers.device_orders",
            "lockers.luggage",
            "lockers.resale",
            "lockers.shop",
            "payments.shop_payments",
        ),
        part=True,
    ),
    ModuleManifest(name="chat", title="Messaging", packages=("chat",), pages=("pages.order_chat",), part=True),
    ModuleManifest(
        name="ai_agent", title="AI agent", packages=("control_tower.agent",), pages=("desk.agent",), part=True
    ),
    ModuleManifest(name="alliances", title="Alliances", packages=("alliances",)),
    ModuleManifest(name="datasets", title="Datasets", packages=("datasets",)),
)
"""All modules, each after those that it requires. Other contexts are the core, which is always loaded."""
BY_NAME = {module.name: module for module in MODULES}
ALL_MODULES = frozenset(BY_NAME)
NO_MODULES = "core"
"""Value of the setting for the core alone."""


def parse_modules(text: str | None) -> frozenset[str]:
    """Return the modules named in a comma-separated setting.

    Returns all modules if it is not set.

    Raises `ValueError` for an unknown module and for a missing required one.
    """
    if text is None:
        return ALL_MODULES
    names = {name.strip() for name in text.split(",")} - {NO_MODULES}
    if unknown := sorted(names - ALL_MODULES):
        raise ValueError(f"unknown module {', '.join(map(repr, unknown))}; modules are {', '.join(BY_NAME)}")
    for module in MODULES:
        missing = [name for name in module.requires if name not in names]
        if module.name in names and missing:
            named = ", ".join(map(repr, missing))
            raise ValueError(f"module {module.name!r} requires {named}; add it or remove {module.name!r}")
    return frozenset(names)


def module_of(python_module: str) -> str | None:
    """Return the module that contains a Python module, or None for the core.

    `python_module` is below `haulier.contexts`.
    """
    place = f"{python_module.removeprefix('haulier.contexts.')}."
    owners = {package: each.name for each in MODULES for package in each.packages if place.startswith(f"{package}.")}
    return owners[max(owners, key=len)] if owners else None


def excluded_packages(modules: frozenset[str]) -> frozenset[str]:
    """Return the packages below `haulier.contexts` of modules that are not loaded."""
    return frozenset(name for module in MODULES if module.name not in modules for name in module.packages)


def loaded_manifests(modules: frozenset[str]) -> Iterator[ModuleManifest]:
    """Return the manifests of loaded modules, each after those that it requires."""
    return (module for module in MODULES if module.name in modules)


def with_requirements(name: str) -> frozenset[str]:
    """Return a module and all modules that it requires, directly or indirectly."""
    return frozenset({name}).union(*(with_requirements(each) for each in BY_NAME[name].requires))
