"""Inbox: notices to a player on the site; push reminders are in `accounts.push`."""
