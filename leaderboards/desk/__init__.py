"""Staff desk in the admin: attempts under review, the evidence about each, and staff decisions."""
