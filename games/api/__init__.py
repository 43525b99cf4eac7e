"""REST endpoints for deals, records, races and reference data.

`config.api` mounts them, and pages are in `games.pages`.
"""
