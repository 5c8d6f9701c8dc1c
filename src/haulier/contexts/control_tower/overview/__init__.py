"""Overview: the daily digest, order summaries and earnings, from daily sums.

Terms: counted day (an ended order counts on the day it ended, an open one on its planned day, or else that of its
creation), judged (delivered with a promised window or day).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.ANALYTICS
