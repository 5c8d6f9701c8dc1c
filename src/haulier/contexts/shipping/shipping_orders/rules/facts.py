"""What of an order decides its price."""

from collections.abc import Collection, Iterator, Sequence

from haulier.contexts.billing.services.contract import Fulfilment, ServiceMeasures, ServicePricing
from haulier.contexts.orders.quotes.contract import AddressParts
from haulier.contexts.shipping.shipping_orders.contract.services import ShippingOrderPackage
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.values.geography import great_circle_m

MM3_IN_CM3 = 1_000


def measures_of(
    packages: Sequence[ShippingOrderPackage], consignee: AddressParts | None, shipper: AddressParts | None
) -> ServiceMeasures:
    """What is priced: pieces, weight, the volume of those pieces that say it, the distance as the crow flies."""
    ends = (shipper.place if shipper else None, consignee.place if consignee else None)
    return ServiceMeasures(
        pieces=sum(package.quantity for package in packages),
        weight_g=sum(package.weight_g * package.quantity for package in packages),
        volume_cm3=-(-sum(_volume_mm3(package) for package in packages) // MM3_IN_CM3),
        distance_m=round(great_circle_m(ends[0], ends[1])) if ends[0] and ends[1] else 0,
        country=getattr(consignee, "country", None),
        postal_code=consignee.postal_code if consignee else None,
    )


def _volume_mm3(package: ShippingOrderPackage) -> int:
    if package.length_mm is None or package.width_mm is None or package.height_mm is None:
        return 0
    return package.length_mm * package.width_mm * package.height_mm * package.quantity


def missing_facts(
    pricing: ServicePricing,
    packages: Sequence[ShippingOrderPackage],
    consignee: AddressParts | None,
    shipper: AddressParts | None,
) -> Iterator[FieldError]:
    """What a price cannot be made without: coordinates where it depends on the distance, sizes where on the volume."""
    if pricing.per_km_minor:
        for name, end in (("consignee", consignee), ("shipper", shipper)):
            if end is None or end.place is None:
                yield FieldError(f"{name}.lat", "field.missing")
    if pricing.per_cubic_metre_minor:
        for index, package in enumerate(packages):
            if not _volume_mm3(package):
                yield FieldError(f"packages.{index}.length_mm", "field.missing")


def sender_is_needed(pricing: ServicePricing, fulfilment: Collection[Fulfilment]) -> bool:
    """Whether an order must say where it comes from: where a driver collects it, before a carrier takes it on."""
    return len(fulfilment) > 1 or bool(pricing.per_km_minor)
