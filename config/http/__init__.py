"""HTTP layer around Django: ASGI handler, header limits, compression, locale and error pages.

The views are in the apps.
"""
