/** Has the browser keep what the site shows without a connection, once the page has everything it needs. */

const WORKER = "/worker.js";

function keep() {
  // Where it cannot be had (no storage, a private window) the site is as before.
  navigator.serviceWorker.register(WORKER, { updateViaCache: "none" }).catch(() => {});
}

// Browsers offer it on https and on the machine itself only.
if ("serviceWorker" in navigator) {
  if (document.readyState === "complete") keep();
  else addEventListener("load", keep);
}
