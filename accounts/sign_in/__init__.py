"""Sign-in: allauth adapter, guests, providers, sessions and second factors; settings pages are in `accounts.views`."""
