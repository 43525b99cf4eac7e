"""Player names: validation, confusables, reserved names, renaming and lookup; profiles are in `accounts.profile`."""
