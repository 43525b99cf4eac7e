"""Reminders of the day's deals in the browser, by Web Push (RFC 8030, 8291 and 8292).

`devices` has the browsers to remind in, `keys` what push services know the site by, `sending` one encrypted message,
`reminding` who is told when, and `views` the switch.
"""
