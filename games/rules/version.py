"""The version of Talon, and of the distribution of its rules. Rules have versions of their own: ``RULES_VERSION``."""

__version__ = "0.1.0"
