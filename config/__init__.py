"""Project package: settings, entry points and operations. No other package imports it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
