/** Calls for a player whose tab is hidden: the title, a sound, and a notification if they are allowed. */

import { play } from "../table/hud/sound.js";
import { settings } from "../site/settings.js";

const TAG = "talon-attention";

const { title } = document;

/** Resolves when the page is seen: at once unless it is hidden. @returns {Promise<unknown>} */
export const seen = () =>
  new Promise((resolve) => {
    if (!document.hidden) return resolve(null);
    document.addEventListener("visibilitychange", resolve, { once: true });
  });

/** Calls until the page is seen. @param {string} text */
export async function callPlayer(text) {
  if (!document.hidden) return;
  document.title = `● ${text} · Talon`;
  seen().then(() => (document.title = title));
  if (settings.sound) play("won");
  if (globalThis.Notification?.permission !== "granted") return;
  // Phones show notifications only through the service worker, which opens the page in `data` if one is pressed.
  const worker = await navigator.serviceWorker?.getRegistration();
  await worker?.showNotification(text, { tag: TAG, data: location.pathname });
  await seen();
  for (const shown of (await worker?.getNotifications({ tag: TAG })) ?? []) shown.close();
}
