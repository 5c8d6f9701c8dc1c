"""The weekly report: a letter on Monday morning with the figures of the week before, for those who asked for it.

Words: week (from Monday to Sunday, by the business's calendar, named by its Monday).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.ANALYTICS
