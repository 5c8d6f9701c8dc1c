"""Request and response models of package presets."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId

CARRIER_PACKAGE_MAX = 60
PresetLengthMm = Annotated[int, Field(ge=1, le=50_000)]
EmptyWeightG = Annotated[int, Field(ge=0, le=1_000_000)]
CarrierPackageCode = Annotated[
    str, StringConstraints(min_length=1, max_length=CARRIER_PACKAGE_MAX, pattern=r"^[^\x00-\x1f\x7f]+$")
]


class CreatePackagePreset(Request):
    """A new package preset."""

    name: Name = Field(examples=["Medium box"])
    """Name, unique within the business."""
    length_mm: PresetLengthMm = Field(examples=[400])
    """Outer length in millimetres."""
    width_mm: PresetLengthMm = Field(examples=[300])
    """Outer width in millimetres."""
    height_mm: PresetLengthMm = Field(examples=[200])
    """Outer height in millimetres."""
    empty_weight_g: EmptyWeightG = 0
    """Weight of the empty package in grams."""
    carrier_package: CarrierPackageCode | None = Field(default=None, examples=["FlatRateBox"])
    """Carrier's code of its own packaging, such as a flat-rate box."""


class PackagePresetRef(Request):
    """Reference to a package preset."""

    package_preset_id: RecordId
    """ID of the package preset."""


class UpdatePackagePreset(PackagePresetRef):
    """Fields to change. Omitted fields keep their values."""

    name: Name | None = Field(default=None, examples=["Medium box"])
    """Name, unique within the business."""
    length_mm: PresetLengthMm | None = Field(default=None, examples=[400])
    """Outer length in millimetres."""
    width_mm: PresetLengthMm | None = Field(default=None, examples=[300])
    """Outer width in millimetres."""
    height_mm: PresetLengthMm | None = Field(default=None, examples=[200])
    """Outer height in millimetres."""
    empty_weight_g: EmptyWeightG | None = None
    """Weight of the empty package in grams."""
    carrier_package: CarrierPackageCode | None = Field(default=None, examples=["FlatRateBox"])
    """Carrier's code of its own packaging, such as a flat-rate box."""


class PackagePreset(Answer):
    """A package preset."""

    id: int
    name: str
    length_mm: int
    width_mm: int
    height_mm: int
    empty_weight_g: int
    carrier_package: Annotated[str | None, doc("Carrier's code of its own packaging.", "FlatRateBox")]
    created_at: datetime
    updated_at: datetime


class PackagePresetAnswer(Answer):
    """One package preset."""

    result: bool = True
    package_preset: PackagePreset


class PackagePresetList(Answer):
    """All package presets, by name."""

    result: bool = True
    package_presets: list[PackagePreset]
