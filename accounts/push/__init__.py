"""Push reminders of the day's deals, by Web Push (RFC 8030, 8291 and 8292).

`devices` stores the subscribed browsers, `keys` the site's VAPID key, `sending` sends one encrypted message,
`reminding` schedules the reminders, and `views` serves the switch.
"""
