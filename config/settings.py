"""Django settings of the whole site, in one file.

The embedded server needs no settings: it uses SQLite, in-memory queues and a generated key in `var/`. Servers named in
the environment replace these: `DATABASE_URL` (PostgreSQL), `REDIS_URL` (channel layer, task queue, cache). A
`PUBLIC_URL` that begins with https:// turns on every production protection. docs/settings.md lists all variables.
"""

from __future__ import annotations

import logging
import re
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
import environ
from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Queue

from config.observability.logs import logging_config
from config.secret_key import stored_secret_key
from config.url_settings import checked_url
from games.db.timeouts import TimedConnection

django_stubs_ext.monkeypatch()  # lets classes like ModelAdmin take their model as a type argument
env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(parents=True, exist_ok=True)

# --- Public address -------------------------------------------------------------------------------------------------

PUBLIC_URL: str = env.str("PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
_public = urlsplit(PUBLIC_URL)
if _public.scheme not in {"http", "https"} or not _public.hostname:
    raise ImproperlyConfigured(f"PUBLIC_URL must look like https://talon.example, not {PUBLIC_URL!r}")
SECURE = _public.scheme == "https"

DEBUG: bool = env.bool("DEBUG", default=False)
if DEBUG and SECURE:
    raise ImproperlyConfigured("DEBUG shows secrets to visitors: it cannot be on while PUBLIC_URL is https")

SITE_NAME = "Talon"
SITE_DOMAIN = _public.netloc  # used in emails, like the name

_local_hosts = [] if SECURE else ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=list(dict.fromkeys([_public.hostname, *_local_hosts])))
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]

# --- Secrets --------------------------------------------------------------------------------------------------------

SECRET_KEY: str = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if SECURE:
        raise ImproperlyConfigured("SECRET_KEY must be set while PUBLIC_URL is https")
    SECRET_KEY = stored_secret_key(VAR_DIR / "secret_key")
if SECURE and (len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 5):  # the requirement of Django's own deployment check
    raise ImproperlyConfigured(
        "SECRET_KEY must have 50 random characters or more while PUBLIC_URL is https; "
        "python -c 'import secrets; print(secrets.token_urlsafe(50))' prints one. "
        "Put the old one in SECRET_KEY_FALLBACKS, so that sessions and second factors stay valid."
    )
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
METRICS_TOKEN: str = env.str("METRICS_TOKEN", default="")

# --- Applications ---------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "config.doctor",
    "accounts",
    "games",
    "games.races",
    "games.ghosts",
    "games.appeals",
    "games.analysis",
    "games.explorer",
    "games.puzzles",
    "games.replays",
    "leaderboards",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.discord",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.google",
    "allauth.usersessions",
    "channels",
    "corsheaders",
    "csp",
    "django_prometheus",
    "django_structlog",
    "ninja",
]

MIDDLEWARE = [
    "config.observability.metrics_endpoint.OperationsMiddleware",
    "config.doctor.echo.EchoMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "config.assets.static.StaticFiles",  # before security headers, which are meant for pages
    "django.middleware.security.SecurityMiddleware",
    "config.http.compression.Compression",  # after static files, which are compressed when collected
    "config.http.api_etags.ConditionalApi",
    "csp.middleware.CSPMiddleware",
    "config.http.permissions_policy.permissions_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "accounts.middleware.DeviceMiddleware",
    "config.http.locale.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.observability.request_log.RequestLog",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.PlayerMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
    "config.http.request_metrics.CountRequests",
    "config.http.error_pages.Refusals",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "frontend" / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "config.backends.templates.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "games.races.attendance.waiting_session.waiting_room",
            ],
        },
    }
]

TIME_ZONE = "UTC"

# --- Languages ------------------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"  # the language the texts are written in
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch"), ("fr", "Français"), ("es", "Español")]  # each by its own name
# Translations of the templates and the client, and of texts of installed packages that the site rewords.
LOCALE_PATHS = [BASE_DIR / "frontend" / "locale", BASE_DIR / "frontend" / "packages"]
LANGUAGE_COOKIE_AGE = 400 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = SECURE

# --- Database -------------------------------------------------------------------------------------------------------

DATABASE_URL: str = env.str("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'talon.sqlite3'}")
_POSTGRES = ("postgres", "postgresql")
_database: dict[str, Any] = env.db_url_config(checked_url("DATABASE_URL", DATABASE_URL, (*_POSTGRES, "sqlite")))
if _database["ENGINE"].endswith("sqlite3"):
    # Writers take their lock when they begin: deferred transactions that upgrade later fail with "database is locked".
    # A commit waits for the disk: with less than FULL, a power cut loses acknowledged moves.
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;",
    }
    _database["CONN_MAX_AGE"] = None
else:
    # The pool takes connections back after each request and checks each one before handing it out again, so a database
    # restart causes no errors. Requests do not wait long for a database that is away (docs/trouble.md).
    _database["ENGINE"] = "config.backends.postgresql"
    _database["OPTIONS"] = {
        "connect_timeout": 2,
        **_database.get("OPTIONS", {}),
        "pool": {
            "connection_class": TimedConnection,
            "min_size": 1,
            "max_size": env.int("DATABASE_POOL", default=24),
            "timeout": 3,
            "reconnect_timeout": 0.5,  # reconnects when a connection is needed, not after a growing pause
        },
    }
    _database["CONN_MAX_AGE"] = 0
    _database["CONN_HEALTH_CHECKS"] = True
    # PgBouncer may sit in between, so a session keeps no state between transactions, which rules out server-side
    # cursors.
    _database["DISABLE_SERVER_SIDE_CURSORS"] = True
DATABASES = {"default": _database}

# Read replicas for boards, archive, profiles, ledger and API (games.db.replicas).
REPLICA_URLS: list[str] = env.list("REPLICA_URLS", default=[])
REPLICA_LAG: float = env.float("REPLICA_LAG", default=5.0)  # replication lag in s above which a replica is not used
if REPLICA_URLS and _database["ENGINE"].endswith("sqlite3"):
    raise ImproperlyConfigured("REPLICA_URLS requires PostgreSQL in DATABASE_URL")
if REPLICA_LAG <= 0:
    raise ImproperlyConfigured("REPLICA_LAG must be above 0")
REPLICAS: list[str] = [f"replica{number}" for number in range(1, len(REPLICA_URLS) + 1)]
for _alias, _url in zip(REPLICAS, REPLICA_URLS, strict=True):
    # One connection per reading thread and no pool, so that threads do not wait for a connection to a dead server.
    _replica: dict[str, Any] = env.db_url_config(checked_url("REPLICA_URLS", _url, _POSTGRES))
    _replica["OPTIONS"] = {**_replica.get("OPTIONS", {}), "connect_timeout": 2, "tcp_user_timeout": 2000}
    DATABASES[_alias] = {
        **_replica,
        "CONN_MAX_AGE": None,
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "TEST": {"MIRROR": "default"},
    }
if REPLICAS:
    DATABASE_ROUTERS = ["games.db.replicas.router.Router"]
    MIDDLEWARE.insert(
        MIDDLEWARE.index("accounts.middleware.PlayerMiddleware"), "config.http.read_your_writes.ReadYourWrites"
    )

# --- Process types --------------------------------------------------------------------------------------------------

# True if WebSockets have processes of their own (config.processes.websocket_server) and web processes serve none. Set
# it the same everywhere.
TABLES_ELSEWHERE: bool = env.bool("TABLES_ELSEWHERE", default=False)

# --- Capacity -------------------------------------------------------------------------------------------------------

# The most WebSockets of tables and rooms that a process opens before new guests queue; 0: no limit. Higher for
# processes that serve nothing else.
MAX_SOCKETS: int = env.int("MAX_SOCKETS", default=4_000 if TABLES_ELSEWHERE else 2_000)
if MAX_SOCKETS < 0:
    raise ImproperlyConfigured("MAX_SOCKETS must not be negative")

# --- Redis: channel layer, cache, tasks -----------------------------------------------------------------------------

REDIS_URL: str = env.str("REDIS_URL", default="")
# One server can do everything, or each role can have its own. Several layer servers share the groups.
LAYER_URLS: list[str] = env.list("LAYER_URLS", default=[REDIS_URL])
BROKER_URL: str = env.str("BROKER_URL", default=REDIS_URL)
CACHE_URL: str = env.str("CACHE_URL", default=REDIS_URL)
REDIS_SERVERS: list[str] = sorted({*LAYER_URLS, BROKER_URL, CACHE_URL}) if REDIS_URL else []
for _url in REDIS_SERVERS:
    checked_url("REDIS_URL, LAYER_URLS, BROKER_URL or CACHE_URL", _url, ("redis", "rediss", "unix"))

if REDIS_URL:
    from redis.asyncio.retry import Retry  # 7 MB that the embedded site does without
    from redis.backoff import NoBackoff

    # After a Redis restart the first message over an old connection would be lost, so it is sent again over a new one.
    _layer_hosts = [{"address": url, "retry": Retry(NoBackoff(), retries=1)} for url in LAYER_URLS]
    CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": _layer_hosts, "prefix": "talon"},
        }
    }
    CACHES: dict[str, dict[str, Any]] = {
        "default": {
            "BACKEND": "config.backends.caches.TolerantRedisCache",
            "LOCATION": CACHE_URL,
            "KEY_PREFIX": "talon",
        },
    }
    CELERY_BROKER_URL = BROKER_URL
    CELERY_BEAT_SCHEDULER = "config.backends.beat:LeadingScheduler"
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 1200, "socket_timeout": 10}
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "config.backends.layers.ThreadedMemoryLayer"}}
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 10_000},
        },
    }
    CELERY_BROKER_URL = "memory://localhost/"
    CELERY_BROKER_TRANSPORT_OPTIONS = {"polling_interval": 0.05}
# Link preview pictures (games.replays.preview_images), on disk for a week. Each process draws those it lacks.
CACHES["previews"] = {
    "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
    "LOCATION": VAR_DIR / "previews",
    "TIMEOUT": 7 * 24 * 3600,
    "OPTIONS": {"MAX_ENTRIES": 400},
}

# --- Celery ---------------------------------------------------------------------------------------------------------

# Players wait for verdicts, so these have a queue of their own. A worker without --queues serves every queue. Tasks not
# listed here are housekeeping.
CELERY_TASK_QUEUES = [
    Queue(name)  # type: ignore[no-untyped-call]
    for name in ("verdicts", "housekeeping", "certifying", "evidence", "analysis", "puzzles")
]
CELERY_TASK_DEFAULT_QUEUE = "housekeeping"
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_TASK_ROUTES = {
    "talon.verify": "verdicts",
    "talon.fill_sealed": "certifying",
    "talon.answer_question": "certifying",
    "talon.prepare_race_deal": "certifying",
    "talon.plan_bot_games": "certifying",
    "talon.find_practice_deal": "certifying",
    "talon.measure_foresight": "evidence",
    "talon.analyse": "analysis",
    "talon.build_explorers": "analysis",
    "talon.fill_puzzles": "puzzles",
    "talon.draw_picture": "evidence",
    "talon.explain_loss": "evidence",
    "talon.remind": "evidence",
    "talon.post_result": "evidence",
    "talon.remind_of_races": "evidence",
    "talon.send_reset_mail": "evidence",
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SOFT_TIME_LIMIT = 20
CELERY_TASK_TIME_LIMIT = 30
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_MAX_TASKS_PER_CHILD = 10_000
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Workers wait for Redis, whether it is away or refuses commands (read-only, out of memory), and never give up.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_DB_REUSE_MAX = 1_000_000  # config.celery checks connections, which is cheaper than new ones
# The embedded server follows this schedule too. Every task is safe to run twice and catches up after a pause.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "keep-deals": {"task": "talon.keep_deals", "schedule": crontab(minute="7")},
    "fill-sealed": {"task": "talon.fill_sealed", "schedule": 60.0},
    "close-due": {"task": "talon.close_due", "schedule": 30.0},
    "begin-journal-day": {"task": "talon.begin_journal_day", "schedule": 60.0},
    "drop-journal-days": {"task": "talon.drop_journal_days", "schedule": crontab(minute="27")},
    "sweep": {"task": "talon.sweep", "schedule": 30.0},
    "tend-races": {"task": "talon.tend_races", "schedule": 5.0},
    "review-held": {"task": "talon.review_held", "schedule": crontab(minute="47")},
    "backfill-progress": {"task": "talon.backfill_progress", "schedule": crontab(minute="57")},
    "measure-foresight": {"task": "talon.measure_foresight", "schedule": 300.0},
    "analyse": {"task": "talon.analyse", "schedule": 30.0, "options": {"expires": 30.0}},
    "build-explorers": {"task": "talon.build_explorers", "schedule": 60.0, "options": {"expires": 60.0}},
    "fill-puzzles": {"task": "talon.fill_puzzles", "schedule": 300.0, "options": {"expires": 300.0}},
    "rate-races": {"task": "talon.rate_races", "schedule": 60.0},
    "clean-games": {"task": "talon.clean_games", "schedule": crontab(minute="17")},
    "end-bans": {"task": "talon.end_bans", "schedule": 60.0},
    "remind": {"task": "talon.remind", "schedule": 60.0, "options": {"expires": 60.0}},
    "remind-of-races": {"task": "talon.remind_of_races", "schedule": 60.0, "options": {"expires": 60.0}},
    "clean-accounts": {"task": "talon.clean_accounts", "schedule": crontab(minute="37")},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")

# --- Deals ----------------------------------------------------------------------------------------------------------

SEALED_STOCK: int = env.int("SEALED_STOCK", default=14)  # certified deals in stock per variant; 0: none are made
DEAL_PATIENCE: int = env.int("DEAL_PATIENCE", default=300)  # s to wait for a missing deal of today to be certified
RELEASE_PATIENCE: int = env.int("RELEASE_PATIENCE", default=180)  # s that the release step waits for today's deals
PUZZLE_STOCK: int = env.int("PUZZLE_STOCK", default=50)  # unseen puzzles per variant below which more are made
if min(SEALED_STOCK, DEAL_PATIENCE, RELEASE_PATIENCE, PUZZLE_STOCK) < 0:
    raise ImproperlyConfigured("SEALED_STOCK, DEAL_PATIENCE, RELEASE_PATIENCE and PUZZLE_STOCK must not be negative")
# Allow starter deals, whose seeds ship with the code, as daily deals; config.processes.embedded turns this on. SQLite
# only.
STARTER_DEALS: bool = env.bool("STARTER_DEALS", default=False) and _database["ENGINE"].endswith("sqlite3")

# Key that signs the ledger's heads (games.deals.ledger_heads). Without it they are published unsigned.
LEDGER_KEY: str = env.str("LEDGER_KEY", default="")
if not re.fullmatch(r"([\w-]{43}=?)?", LEDGER_KEY, re.ASCII):
    raise ImproperlyConfigured(
        "LEDGER_KEY must be 32 bytes in base64url: manage.py ledger_head --new-key prints a new one"
    )

# --- Ladders --------------------------------------------------------------------------------------------------------

# Eligibility for a deal's podium and seasons; other players rank among the newcomers (docs/fairplay.md, Ladders).
LADDERS: bool = env.bool("LADDERS", default=not _database["ENGINE"].endswith("sqlite3"))
ESTABLISHED_DAYS: int = env.int("ESTABLISHED_DAYS", default=3)  # of the last 30, with a daily game really played
ESTABLISHED_AGE: int = env.int("ESTABLISHED_AGE", default=7)  # least age of the account in days
if min(ESTABLISHED_DAYS, ESTABLISHED_AGE) < 0:
    raise ImproperlyConfigured("ESTABLISHED_DAYS and ESTABLISHED_AGE must not be negative")

# --- Fair play ------------------------------------------------------------------------------------------------------

FORESIGHT_PLACES: int = env.int("FORESIGHT_PLACES", default=10)  # best games per board to measure; 0: none
if FORESIGHT_PLACES < 0:
    raise ImproperlyConfigured("FORESIGHT_PLACES must not be negative")
REVIEW_DAYS: int = env.int("REVIEW_DAYS", default=14)  # after which a held result is released; 0: never by itself
if REVIEW_DAYS < 0:
    raise ImproperlyConfigured("REVIEW_DAYS must not be negative")

# --- Players --------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "accounts.sign_in.adapter.PlayerAdapter"
ACCOUNT_FORMS = {
    "add_email": "accounts.forms.AddressForm",
    "login": "accounts.forms.SignInForm",
    "reset_password": "accounts.forms.ForgottenPasswordForm",
    "signup": "accounts.forms.SignUpForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}  # the form maps a confirmed address to the name: one hash per attempt
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
ACCOUNT_PREVENT_ENUMERATION = "strict"  # signing up looks the same for known and unknown email addresses
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"{SITE_NAME}: "
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    # A whole class may sign in or up from one address.
    "login": "120/m/ip",
    # Failed sign-ins, counted by address, by name and network, and by the /48 of an IPv6 address. A name tried from
    # many networks allows fewer attempts from each, so an attacker elsewhere cannot lock a rival out
    # (accounts.sign_in.adapter).
    "login_failed": "60/m/ip,300/h/ip,5/5m/key",
    "login_failed_wide": "90/m/key,600/h/key",
    "login_failed_name": "100/10m/key",
    "login_failed_rare": "2/10m/key",
    # Counted by the /48 of an IPv6 address, where allauth uses the /64.
    "signup": "120/m/ip",
    "signup_wide": "360/m/key",
    "reset_wide": "60/m/key",
    # Emails to one address, regardless of the sender.
    "confirm_email": "1/3m/key,3/h/key",
    "reset_mail": "1/h/key",
    "notice": "10/h/key",
}
# Require a second factor for the admin and the desk (accounts.sign_in.second_factors).
STAFF_SECOND_FACTOR: bool = env.bool("STAFF_SECOND_FACTOR", default=SECURE)
USERSESSIONS_ADAPTER = "accounts.sign_in.session_end.SessionsAdapter"
MFA_ADAPTER = "accounts.sign_in.second_factors.SecretsAdapter"
MFA_FORMS = {
    "add_webauthn": "accounts.forms.PasskeyForm",
    "authenticate_webauthn": "accounts.forms.PasskeySecondForm",
    "login_webauthn": "accounts.forms.PasskeySignInForm",
    "reauthenticate_webauthn": "accounts.forms.PasskeyAgainForm",
}
MFA_TOTP_ISSUER = SITE_NAME
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not SECURE

# External sign-in services, each enabled only if both its id and its secret are set (accounts.sign_in.providers).
_SERVICE_SCOPES = {"google": ["openid", "email"], "github": ["user:email"], "discord": ["identify", "email"]}
SOCIALACCOUNT_PROVIDERS: dict[str, dict[str, Any]] = {}
for _service, _scope in _SERVICE_SCOPES.items():
    _names = f"{_service.upper()}_CLIENT_ID", f"{_service.upper()}_CLIENT_SECRET"
    _client_id, _secret = (env.str(_name, default="") for _name in _names)
    if bool(_client_id) != bool(_secret):
        raise ImproperlyConfigured(f"{' and '.join(_names)} must be set together or not at all")
    if _client_id:
        SOCIALACCOUNT_PROVIDERS[_service] = {
            "APPS": [{"client_id": _client_id, "secret": _secret}],
            "SCOPE": _scope,
            "OAUTH_PKCE_ENABLED": True,
        }
SOCIALACCOUNT_ADAPTER = "accounts.sign_in.providers.ServicesAdapter"
SOCIALACCOUNT_FORMS = {"signup": "accounts.sign_in.providers.NameForm"}
SOCIALACCOUNT_AUTO_SIGNUP = False  # players choose a name on a form, with the usual checks
SOCIALACCOUNT_QUERY_EMAIL = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False  # an email address at a service does not grant access to the account here

EMAIL_URL: str = env.str("EMAIL_URL", default="consolemail://")
_email: dict[str, Any] = env.email_url_config(checked_url("EMAIL_URL", EMAIL_URL, env.EMAIL_SCHEMES))
EMAIL_BACKEND: str = _email["EMAIL_BACKEND"]
EMAIL_HOST: str = _email["EMAIL_HOST"] or "localhost"
EMAIL_PORT: int = _email["EMAIL_PORT"] or 25
EMAIL_HOST_USER: str = _email["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD: str = _email["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS: bool = _email.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL: bool = _email.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL: str = env.str("DEFAULT_FROM_EMAIL", default=f"{SITE_NAME} <talon@{_public.hostname}>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

# Push messages to browsers: off without a key, which `python -m accounts.push` generates.
VAPID_PRIVATE_KEY: str = env.str("VAPID_PRIVATE_KEY", default="")
if not re.fullmatch(r"([\w-]{43}=?)?", VAPID_PRIVATE_KEY, re.ASCII):
    raise ImproperlyConfigured(
        "VAPID_PRIVATE_KEY must be 32 bytes in base64url: python -m accounts.push prints a new one"
    )
VAPID_CONTACT = f"mailto:{parseaddr(DEFAULT_FROM_EMAIL)[1]}"  # contact for push services if something is wrong
# Allowed push services: these hosts and their subdomains. Nothing is sent anywhere else.
PUSH_SERVICES: list[str] = env.list(
    "PUSH_SERVICES",
    default=["fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com"],
)

# Services that may get the results of a room (games.races.webhooks): hosts, with the beginning of the path if only a
# part of the host is meant. Results are posted nowhere else, and without any the feature is off.
WEBHOOK_SERVICES: list[str] = env.list(
    "WEBHOOK_SERVICES",
    default=[
        f"{_host}/api/webhooks" for _host in ("discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com")
    ],
)

# --- Static files ---------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "frontend" / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "frontend.generated_files.GeneratedFiles",
]
# Collected files (`manage.py collectstatic`) have a content hash in their names, are compressed and cached for ever.
# Otherwise the sources are served unchanged.
COLLECTED_STATIC: bool = env.bool("COLLECTED_STATIC", default=SECURE)
WHITENOISE_ROOT = BASE_DIR / "frontend" / "root"  # files served at the root: favicon.ico, robots.txt
WHITENOISE_USE_FINDERS = not COLLECTED_STATIC
WHITENOISE_MAX_AGE = 60 if COLLECTED_STATIC else 0
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_ALLOW_ALL_ORIGINS = False  # only this site uses the files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "config.assets.static.StaticStorage"
        if COLLECTED_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# --- Protection -----------------------------------------------------------------------------------------------------

# No other host under the same domain can set or receive a cookie with this prefix. Browsers accept it over https only.
COOKIE_PREFIX = "__Host-" if SECURE else ""
SESSION_ENGINE = "accounts.sign_in.session_store"
SESSION_COOKIE_AGE = 400 * 24 * 3600  # a guest's games live as long as the session
SESSION_COOKIE_SECURE = SECURE
CSRF_FAILURE_VIEW = "config.http.error_pages.csrf_failure"
CSRF_COOKIE_SECURE = SECURE
MESSAGE_STORAGE = "config.http.message_cookies.Messages"
if SECURE:
    SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}session"
    CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrf"
    LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}language"
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
RATELIMIT_FAIL_OPEN = True  # if the cache fails, requests pass
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# Allowed form targets: the buttons to sign in with another service are forms that lead to its pages.
_SERVICE_ORIGINS = {
    "google": "https://accounts.google.com",
    "github": "https://github.com",
    "discord": "https://discord.com",
}
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "EXCLUDE_URL_PREFIXES": [],
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF, *(_SERVICE_ORIGINS[service] for service in SOCIALACCOUNT_PROVIDERS)],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
        **({"upgrade-insecure-requests": True} if SECURE else {}),
    },
}

# Features that neither a page nor a frame in it may request. Passkeys, sharing and the clipboard stay allowed.
PERMISSIONS_POLICY = (
    "camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment", "serial", "usb",
)  # fmt: skip

# Any site may read the public API. Sessions are for this site alone.
CORS_URLS_REGEX = r"^/api/v1/"
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_METHODS = ("GET", "HEAD", "OPTIONS")
CORS_ALLOW_HEADERS = ("Accept", "If-None-Match")
CORS_EXPOSE_HEADERS = ("ETag", "Retry-After")

# --- Logs and metrics -----------------------------------------------------------------------------------------------

LOG_FORMAT: str = env.str("LOG_FORMAT", default="json" if SECURE else "text")
if LOG_FORMAT not in {"json", "text"}:
    raise ImproperlyConfigured(f"LOG_FORMAT must be json or text, not {LOG_FORMAT!r}")
LOG_LEVEL: str = env.str("LOG_LEVEL", default="INFO" if LOG_FORMAT == "json" else "WARNING").upper()
LOGGING = logging_config(level=LOG_LEVEL, form=LOG_FORMAT)
# A line that cannot be written is lost; otherwise a worker without output would log its logging errors for ever.
logging.raiseExceptions = False
DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = logging.INFO
METRICS_PORT: int = env.int("METRICS_PORT", default=0)  # of a Celery worker; web processes serve /metrics
PROMETHEUS_METRIC_NAMESPACE = "talon"
