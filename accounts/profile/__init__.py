"""Profiles: statistics, streaks, achievements, avatars, comparison, follows, invitations and the calendar feed."""
