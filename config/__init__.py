"""The site: settings, entry points, operations. Nothing below imports from here."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
