"""Weekly report: an email on Monday with the previous week's figures.

Terms: week (from Monday to Sunday, by the business's calendar, named by its Monday).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.ANALYTICS
