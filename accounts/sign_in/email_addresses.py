"""Email addresses of accounts: sign-in and password resets require a confirmed one.

Users can claim an address that is not theirs, so an unconfirmed one proves nothing, and few accounts can claim it.
"""

from __future__ import annotations

from typing import Final

from allauth.account.internal.flows.password_reset import request_password_reset
from allauth.account.models import EmailAddress

from accounts.models import User

#: Maximum number of accounts with the same unconfirmed address.
MOST_CLAIMS: Final = 3


def owner_of(email: str) -> User | None:
    """Return the account that has confirmed this address; the database allows only one."""
    return User.objects.filter(emailaddress__email=email.lower(), emailaddress__verified=True).first()


def send_reset_mail(owner_id: int) -> None:
    """Send an active account a link to choose a new password, to its confirmed address."""
    address = EmailAddress.objects.filter(user=owner_id, user__is_active=True, verified=True).first()
    if address:
        request_password_reset(None, address.email, [address.user], None)


def drop_oldest_claims(email: str) -> None:
    """Remove an unconfirmed address from its oldest claims, if too many accounts have it.

    A new claim replaces an old one, so others cannot keep the owner of an address from using it.
    """
    claims = EmailAddress.objects.filter(email=email.lower(), verified=False).select_related("user").order_by("-pk")
    for claim in claims[MOST_CLAIMS:]:
        claim.remove()
