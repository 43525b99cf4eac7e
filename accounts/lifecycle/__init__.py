"""Life of an account: export, erasure and bans; guests become accounts in `accounts.sign_in.guests`."""
