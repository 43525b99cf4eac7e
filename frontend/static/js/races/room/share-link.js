/** Room link: copied, or passed to the device's share sheet. */

import { t } from "../../shared/i18n.js";

/** Time for which the button confirms the copy, in ms. */
const SAID_FOR = 2500;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

export function bindShare() {
  const [field, copy, share] = [byId("link"), byId("copy"), byId("share")];
  const label = copy.textContent;
  field.addEventListener("focus", () => field.select());
  copy.addEventListener("click", async () => {
    copy.textContent = (await copied(field)) ? t("Copied") : t("Press Ctrl+C");
    setTimeout(() => (copy.textContent = label), SAID_FOR);
  });
  share.hidden = !("share" in navigator && matchMedia("(pointer: coarse)").matches);
  share.addEventListener("click", () => {
    navigator.share({ title: document.title, url: field.value }).catch(() => {});
  });
}

/** @param {HTMLInputElement} field */
async function copied(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.select();
    return false;
  }
}
