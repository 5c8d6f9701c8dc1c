"""Messages: e-mails and texts that tell recipients of their deliveries, as the business and its customers want them."""

from haulier.kernel.operations.enums import Area

AREA = Area.CLIENT
