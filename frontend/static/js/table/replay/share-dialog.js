/**
 * Dialogs of a replay. The share dialog has a link to the current position, code for other sites, and an animated
 * picture of the game, which a worker draws and the page polls for.
 */

import "../../site/field-buttons.js";
import { all, byId } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request, requestJson } from "../../shared/request.js";
import { share } from "../../shared/share.js";

/** Polling interval in ms, and the number of polls. */
const POLL_EVERY = 700;
const POLLS = 60;

/** @param {{at: number}} replay the link leads to its position when the dialog opens */
export function bindSharing(replay) {
  for (const opener of all("[data-opens]"))
    opener.addEventListener("click", () => byId(opener.dataset.opens).showModal());
  byId("picture-make")?.addEventListener("click", makePicture);
  byId("share")?.addEventListener("click", () => {
    const link = byId("share-link");
    link.value = `${location.origin}${link.dataset.address}${replay.at ? `?n=${replay.at}` : ""}`;
    byId("share-dialog").showModal();
  });
}

async function makePicture() {
  const button = byId("picture-make");
  button.disabled = true;
  say(t("Creating the picture…"));
  const url = await pictureUrl(byId("picture").dataset.address).catch(() => "");
  button.disabled = false;
  if (!url) return say(t("The picture could not be created. Try again later."));
  button.hidden = true;
  say("");
  show(url);
}

/** @param {string} address @returns {Promise<string>} the picture's address; empty if it does not arrive */
async function pictureUrl(address) {
  let { url } = await requestJson(address, "POST");
  for (let polls = 0; !url && polls < POLLS; polls++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY));
    ({ url } = await requestJson(address));
  }
  return url ?? "";
}

/** @param {string} text */
function say(text) {
  const line = byId("picture-text");
  line.textContent = text;
  line.hidden = !text;
}

/** @param {string} url */
function show(url) {
  const [shown, save] = [byId("picture-shown"), byId("picture-save")];
  shown.replaceChildren(Object.assign(new Image(), { src: url, alt: t("The whole game, move by move") }));
  Object.assign(save, { href: url, download: save.dataset.name ?? "" });
  shown.hidden = save.hidden = false;
  save.focus();
  offerSharing(url, save.download).catch(() => {});
}

/** Offers sharing in browsers that can share files. @param {string} url @param {string} name */
async function offerSharing(url, name) {
  if (!navigator.canShare) return;
  const file = new File([await (await request(url)).blob()], name, { type: "image/gif" });
  if (!navigator.canShare({ files: [file] })) return;
  const button = byId("picture-share");
  button.hidden = false;
  button.addEventListener("click", () => share({ files: [file] }, new URL(url, location.href).href, button));
}
