/** The moments at which a page may have missed something: it is seen again, restored, or back on the network. */

/** @param {() => void} callback called once for each such moment */
export function onWake(callback) {
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && callback());
  addEventListener("pageshow", (event) => event.persisted && callback());
  addEventListener("online", callback);
}
