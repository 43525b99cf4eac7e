/** Registration of the service worker, which caches the offline pages, after the page has loaded. */

const WORKER = "/worker.js";

function keep() {
  // If registration fails (no storage, a private window), the site works as before.
  navigator.serviceWorker.register(WORKER, { updateViaCache: "none" }).catch(() => {});
}

// Browsers support service workers only on https and localhost.
if ("serviceWorker" in navigator) {
  if (document.readyState === "complete") keep();
  else addEventListener("load", keep);
}
