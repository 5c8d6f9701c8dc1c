"""The pages of the loaded modules, which are imported only then."""

from importlib import import_module
from types import ModuleType

from haulier.kernel.application import Application
from haulier.modules import loaded_manifests


def page_modules(app: Application) -> list[ModuleType]:
    """The Python modules of these pages.

    Each has `module_routes`. Those with `load_delivery_part` add to the tracking page of a recipient.
    """
    return [import_module(f"haulier.web.{page}") for module in loaded_manifests(app.loaded) for page in module.pages]
