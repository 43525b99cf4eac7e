/**
 * The service worker: shows the pages kept for want of a connection, and tells of the day's reminder.
 *
 * The line always comes first; what is kept answers only where it fails. So nobody is held on old code, and no page of
 * a player is ever kept. `config/worker.py` says what is kept, and in which version.
 */
(() => {
  /**
   * @typedef {object} Kept
   * @property {string} version
   * @property {string} home the page shown instead of any other
   * @property {Record<string, string>} pages the page shown instead of one that has its own
   * @property {string} unsent the page shown instead of the answer to a form
   * @property {string[]} files
   * @property {string} icon
   * @property {string} renewed where the site is told of a new subscription to reminders
   *
   * @typedef {object} Reminder
   * @property {string} title
   * @property {string} body
   * @property {string} lang
   */

  const worker = /** @type {any} */ (self);
  const kept = /** @type {Kept} */ (worker.talon);
  const PREFIX = "talon-";
  const CACHE = PREFIX + kept.version;
  /** A later reminder takes the place of an earlier one. */
  const TAG = "talon-day";
  const THE_DAY = "/";

  const addresses = new Set([...kept.files, kept.home, kept.unsent, ...Object.values(kept.pages)]);

  async function fill() {
    const cache = await caches.open(CACHE);
    // Without cookies the answers cannot be anybody's own.
    await cache.addAll([...addresses].map((address) => new Request(address, { credentials: "omit" })));
    await worker.skipWaiting();
  }

  async function takeOver() {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    // A page is asked for while the worker starts.
    await worker.registration.navigationPreload?.enable();
    await worker.clients.claim();
  }

  /** @param {Request} request @returns {string|null} the address of what is kept in its place */
  function inPlaceOf({ method, mode, url }) {
    const { origin, pathname } = new URL(url);
    if (origin !== worker.location.origin) return null;
    // Whether a form has arrived is only known where there was no line to begin with.
    if (method === "POST" && mode === "navigate") return worker.navigator.onLine ? null : kept.unsent;
    if (method !== "GET") return null;
    if (addresses.has(pathname)) return pathname;
    return kept.pages[pathname] ?? (mode === "navigate" ? kept.home : null);
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

  /** @param {Reminder} reminder */
  function remind({ title, body, lang }) {
    const { icon } = kept;
    return worker.registration.showNotification(title, { body, lang, icon, badge: icon, tag: TAG });
  }

  /** Shows the day: in a window that has it open, or a new one. */
  async function openTheDay() {
    const windows = await worker.clients.matchAll({ type: "window" });
    const open = windows.find((/** @type {any} */ one) => new URL(one.url).pathname === THE_DAY);
    return open ? open.focus() : worker.clients.openWindow(THE_DAY);
  }

  /**
   * The browser has another subscription, or has ended the old one: the site is told, by the old address, which nobody
   * else knows. Where the browser does not say the old one, the switch in the settings has to be turned on anew.
   * @param {any} event
   */
  async function renew({ oldSubscription: old, newSubscription: given }) {
    if (!old) return;
    const { applicationServerKey } = old.options;
    const subscription =
      given ?? (await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
    const { endpoint, keys } = subscription.toJSON();
    await fetch(kept.renewed, {
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
  worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(remind(event.data.json())));
  worker.addEventListener("pushsubscriptionchange", (/** @type {any} */ event) => event.waitUntil(renew(event)));
  worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
    event.notification.close();
    event.waitUntil(openTheDay());
  });
})();
