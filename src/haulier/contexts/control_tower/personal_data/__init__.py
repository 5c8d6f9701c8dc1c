"""Personal data: exports and erasures.

Terms: person (named by a selector: a user, a driver, or the owner of an email address or telephone number), keys
(identifiers of their rows), request (an export or an erasure).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.PRIVACY
