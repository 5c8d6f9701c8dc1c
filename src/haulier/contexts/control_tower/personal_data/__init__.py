"""What is held of a person: handed out to them, and erased.

Words: person (whom a selector names: a user, a driver, or whoever an e-mail address or telephone number belongs to), keys
(everything that leads to their rows), request (an export or an erasure).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.PRIVACY
