"""Project package: settings, URLs and what surrounds the apps (processes, HTTP, caches, metrics).

No other package imports it.
"""

from config.celery import app as celery_app

__all__ = ["celery_app"]
