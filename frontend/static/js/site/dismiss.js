/** Dismissible guides and hints. A cookie keeps the server from showing them again. */

const YEAR = 365 * 24 * 3600;

const button = /** @type {HTMLButtonElement|null} */ (document.querySelector("[data-dismiss]"));
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `${button.dataset.dismiss}=known; path=/; max-age=${YEAR}; samesite=lax${secure}`;
    button.closest("section")?.remove();
    const following = document.querySelector(".todays-game .button, #finish[open] #share");
    const next = /** @type {HTMLElement|null} */ (following);
    next?.focus({ preventScroll: true });
  });
}
