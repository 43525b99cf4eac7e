"""Version of Talon and of its rules distribution. The rules have their own version, ``RULES_VERSION``."""

__version__ = "0.1.0"
