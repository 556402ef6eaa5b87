"""honeyguide as the scheduler of Scrapy: any spider follows the most promising links first.

In the settings of a project or a spider::

    SCHEDULER = "honeyguide.scrapy.Scheduler"
    HONEYGUIDE_TOPIC = "bees.toml"
"""

from __future__ import annotations

from honeyguide.scrapy.scheduler import Scheduler

__all__ = ["Scheduler"]
