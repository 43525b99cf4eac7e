"""Version of Talon and of its rules distribution. The rules have their own version, ``RULES_VERSION``."""

__version__ = "1.0.0"
