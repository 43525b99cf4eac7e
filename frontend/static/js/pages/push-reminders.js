/**
 * Switches for push reminders: for this browser and the daily game in the settings, for the race of the day there and
 * on its page. The browser asks for permission only when a switch is turned on.
 */

import { all, byId } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { request } from "../shared/request.js";

/** Longest wait for the service worker, in ms: it may still be caching files. */
const WORKER_WITHIN = 15000;

const part = byId("push");
/** The switch for this browser and the hour of the daily reminder; null outside the settings. */
const box = byId("push-on");
const hour = byId("push-hour");
const races = all("[data-race]", part);
let isHere = false;

/** @param {string} text */
function tell(text) {
  byId("push-says").textContent = text;
}

/** @param {string} address @param {"POST"|"DELETE"} method @param {object} [body] */
async function ask(address, method, body) {
  const response = await request(address, method, body);
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

/** @param {PushSubscription} subscription */
async function send(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  const daily = hour && { hour: hour.value === "" ? null : Number(hour.value), zone };
  await ask(part.dataset.address, "POST", { endpoint, p256dh: keys?.p256dh, auth: keys?.auth, ...daily });
}

/** The service worker that shows the messages. There may be none, as in a private window. */
function worker() {
  const late = new Promise((_, fail) => setTimeout(fail, WORKER_WITHIN));
  return /** @type {Promise<ServiceWorkerRegistration>} */ (Promise.race([navigator.serviceWorker.ready, late]));
}

/** Subscribes this browser. @returns {Promise<boolean>} false if the browser does not permit it */
async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") {
    tell(t("Your browser blocks messages from this site. You can change that in its settings."));
    return false;
  }
  const { pushManager } = await worker();
  // An earlier subscription may have expired or use another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  await send(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: part.dataset.key }));
  isHere = true;
  tell(t("Reminders are on in this browser."));
  return true;
}

async function turnOff() {
  const { others } = await ask(part.dataset.address, "DELETE");
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  isHere = false;
  if (!others) for (const race of races) race.checked = false;
  tell(t("Reminders are off in this browser."));
}

async function switchHere() {
  if (!box.checked) await turnOff();
  else if (!(await subscribe())) box.checked = false;
}

/** @param {HTMLInputElement} race */
async function switchRace(race) {
  if (race.checked && !isHere && !(await subscribe())) {
    race.checked = false;
    return;
  }
  await ask(race.dataset.race ?? "", race.checked ? "POST" : "DELETE");
  tell(t("Saved."));
}

async function changeHour() {
  if (!box.checked) return;
  const { pushManager } = await worker();
  const subscription = await pushManager.getSubscription();
  if (!subscription) return;
  await send(subscription);
  tell(t("Saved."));
}

/** In the settings, a reminder of a race can be turned on only in a browser that shows it. */
function enable() {
  if (box) box.disabled = false;
  for (const race of races) race.disabled = box !== null && !isHere && !race.checked;
}

/**
 * Runs the action of a control, and puts a switch back if it fails.
 * @param {any} control @param {() => Promise<void>} action
 */
async function tried(control, action) {
  const before = !control.checked;
  control.disabled = true;
  try {
    await action();
  } catch {
    if (control !== hour) control.checked = before;
    tell(t("That didn't work. Try again later."));
  }
  control.disabled = false;
  enable();
}

async function begin() {
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined);
  const subscription = await registration?.pushManager.getSubscription();
  isHere = "here" in part.dataset && Notification.permission === "granted" && Boolean(subscription);
  part.hidden = false;
  if (box) {
    box.checked = isHere;
    box.addEventListener("change", () => tried(box, switchHere));
    hour.addEventListener("change", () => tried(hour, changeHour));
  }
  for (const race of races) race.addEventListener("change", () => tried(race, () => switchRace(race)));
  enable();
}

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) begin();
else tell(t("This browser can't show reminders. On an iPhone or iPad, add Talon to the home screen first."));
