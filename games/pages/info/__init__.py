"""Pages that explain: rules, winnability, fair play, ledger, privacy, offline and queue pages, and the inbox."""
