"""Push reminders by Web Push (RFC 8030, 8291, 8292); notices on the site are in `games.inbox`."""
