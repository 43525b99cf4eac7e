/**
 * Service worker: shows offline pages, and displays push notifications.
 *
 * Network first: the cache answers only if the network fails. So users never get stale code, and no page of a player is
 * ever cached. `config/assets/service_worker.py` determines the cached files and their version.
 */
(() => {
  /**
   * @typedef {object} Config
   * @property {string} version
   * @property {string} home the page shown instead of any other
   * @property {Record<string, string>} pages replacements for pages that have their own, by path
   * @property {string} unsent the page shown instead of the response to a form
   * @property {string[]} files
   * @property {string} icon
   * @property {string} renewed address for reporting a renewed push subscription
   *
   * @typedef {object} Message
   * @property {string} title
   * @property {string} body
   * @property {string} lang
   * @property {string} [topic] a later notification replaces an earlier one with the same topic
   * @property {string} [path] the page that a click opens
   * @property {[string, number][]} [days] titles, and when each closes in ms: the first that is open is shown
   * @property {string} [until] tells when it closes, at `{time}` in the reader's zone
   */

  const worker = /** @type {any} */ (self);
  const config = /** @type {Config} */ (worker.talon);
  const PREFIX = "talon-";
  const CACHE = PREFIX + config.version;

  const addresses = new Set([...config.files, config.home, config.unsent, ...Object.values(config.pages)]);

  async function fill() {
    const cache = await caches.open(CACHE);
    // Requested without cookies, so the answers are never personal.
    await cache.addAll([...addresses].map((address) => new Request(address, { credentials: "omit" })));
    await worker.skipWaiting();
  }

  async function takeOver() {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    // Requests the page while the worker is still starting.
    await worker.registration.navigationPreload?.enable();
    await worker.clients.claim();
  }

  /** @param {Request} request @returns {string|null} the address of the cached replacement */
  function inPlaceOf({ method, mode, url }) {
    const { origin, pathname } = new URL(url);
    if (origin !== worker.location.origin) return null;
    // Only if the browser was offline from the start is it certain that a form was not sent.
    if (method === "POST" && mode === "navigate") return worker.navigator.onLine ? null : config.unsent;
    if (method !== "GET") return null;
    if (addresses.has(pathname)) return pathname;
    return config.pages[pathname] ?? (mode === "navigate" ? config.home : null);
  }

  /** @param {any} event @param {string} address */
  async function answer(event, address) {
    try {
      return (await event.preloadResponse) ?? (await fetch(event.request));
    } catch {
      const cache = await caches.open(CACHE);
      return (await cache.match(address, { ignoreVary: true })) ?? Response.error();
    }
  }

  /** @param {Message} message */
  function show({ title, body, lang, topic = "day", path = "/", days = [], until = "" }) {
    const { icon } = config;
    const [name, closes] = days.find(([, end]) => end > Date.now()) ?? [title];
    const moment = new Intl.DateTimeFormat(lang, { weekday: "long", hour: "numeric", minute: "2-digit" });
    const text = closes ? `${until.replace("{time}", moment.format(closes))} ${body}` : body;
    const look = { body: text, lang, icon, badge: icon };
    return worker.registration.showNotification(name, { ...look, tag: PREFIX + topic, renotify: true, data: path });
  }

  /** Shows a page of this site in a window that already has it open, or in a new one. @param {string} path */
  async function open(path) {
    const { origin, pathname } = new URL(path, worker.location.origin);
    const page = origin === worker.location.origin ? pathname : "/";
    const windows = await worker.clients.matchAll({ type: "window" });
    const shown = windows.find((/** @type {any} */ one) => new URL(one.url).pathname === page);
    return shown ? shown.focus() : worker.clients.openWindow(page);
  }

  /**
   * Handles a replaced or expired push subscription. The site identifies it by the old endpoint, which is known to no
   * other party. If the browser does not report the old one, the switch in the settings must be turned on again.
   * @param {any} event
   */
  async function renew({ oldSubscription: old, newSubscription }) {
    if (!old) return;
    const { applicationServerKey } = old.options;
    const subscription =
      newSubscription ??
      (await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
    const { endpoint, keys } = subscription.toJSON();
    await fetch(config.renewed, {
      method: "POST",
      credentials: "omit",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ old: old.endpoint, endpoint, p256dh: keys.p256dh, auth: keys.auth }),
    });
  }

  worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(fill()));
  worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(takeOver()));
  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const address = inPlaceOf(event.request);
    if (address) event.respondWith(answer(event, address));
  });
  worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(show(event.data.json())));
  worker.addEventListener("pushsubscriptionchange", (/** @type {any} */ event) => event.waitUntil(renew(event)));
  worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
    event.notification.close();
    event.waitUntil(open(event.notification.data ?? "/"));
  });
})();
