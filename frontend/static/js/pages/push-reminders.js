/** Switch for push reminders in this browser. The browser asks for permission only when the switch is turned on. */

import { byId } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { request } from "../shared/request.js";

/** Longest wait for the service worker, in ms: it may still be caching files. */
const WORKER_WITHIN = 15000;

const part = byId("push");
const box = byId("push-on");
const hour = byId("push-hour");

/** @param {string} text */
function tell(text) {
  byId("push-says").textContent = text;
}

/** @param {"POST"|"DELETE"} method @param {object} [body] */
async function ask(method, body) {
  const response = await request(part.dataset.address, method, body);
  if (!response.ok) throw new Error(String(response.status));
}

/** @param {PushSubscription} subscription */
async function send(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await ask("POST", { endpoint, p256dh: keys?.p256dh, auth: keys?.auth, hour: Number(hour.value), zone: timeZone });
}

/** The service worker that shows the messages. There may be none, as in a private window. */
function worker() {
  const late = new Promise((_, fail) => setTimeout(fail, WORKER_WITHIN));
  return /** @type {Promise<ServiceWorkerRegistration>} */ (Promise.race([navigator.serviceWorker.ready, late]));
}

async function turnOn() {
  if ((await Notification.requestPermission()) !== "granted")
    return refuse(t("Your browser blocks messages from this site. You can change that in its settings."));
  const { pushManager } = await worker();
  // An earlier subscription may have expired or use another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  await send(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: part.dataset.key }));
  tell(t("Reminders are on in this browser."));
}

async function turnOff() {
  await ask("DELETE");
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  tell(t("Reminders are off in this browser."));
}

async function changeHour() {
  if (!box.checked) return;
  const { pushManager } = await worker();
  const subscription = await pushManager.getSubscription();
  if (!subscription) return;
  await send(subscription);
  tell(t("Saved."));
}

/** @param {string} text */
function refuse(text) {
  box.checked = false;
  tell(text);
}

/** @param {() => Promise<void>} action */
async function tried(action) {
  const before = !box.checked;
  box.disabled = true;
  try {
    await action();
  } catch {
    if (action !== changeHour) box.checked = before;
    tell(t("That didn't work. Try again later."));
  }
  box.disabled = false;
}

async function begin() {
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  const subscription = await registration?.pushManager.getSubscription();
  box.checked = "here" in part.dataset && Notification.permission === "granted" && Boolean(subscription);
  box.disabled = false;
  box.addEventListener("change", () => tried(box.checked ? turnOn : turnOff));
  hour.addEventListener("change", () => tried(changeHour));
}

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) begin();
else tell(t("This browser can't show reminders. On an iPhone or iPad, add Talon to the home screen first."));
