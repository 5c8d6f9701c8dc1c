"""Overview: a day at a glance, orders by day, status or who they are of, and what was earned. All read from sums by day.

Words: counted day (an ended order counts on the day it ended, an open one on the day it is planned for, or else that on
which it was made), judged (delivered with a window or a day promised).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.ANALYTICS
