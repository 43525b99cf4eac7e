"""The staff's desk, in the admin: attempts under review, what is known of each, and what staff decide."""
