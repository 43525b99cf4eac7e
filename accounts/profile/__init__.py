"""Profiles: statistics, progress, the year, avatars, comparison, follows, invitations and the calendar feed."""
