// Blocking script in the head, so that the first paint already has the player's colours. `settings.js` has the same
// list.
(() => {
  const root = document.documentElement;
  const read = (/** @type {string|null|undefined} */ text) => {
    try {
      return JSON.parse(text || "{}");
    } catch {
      return {}; // Unreadable settings count as none.
    }
  };
  let local = null;
  try {
    local = localStorage.getItem("talon.settings");
  } catch {
    // No storage, no settings.
  }
  const chosen = { ...read(local), ...read(root.dataset.preferences) };
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = chosen.theme ?? "system";
  root.dataset.theme = theme === "system" ? (dark ? "dark" : "light") : theme;
  root.dataset.felt = chosen.table ?? "green";
  root.dataset.back = chosen.back ?? "lattice";
  root.dataset.suits = chosen.four_colours ? "four" : "two";
  root.dataset.hand = chosen.left_handed ? "left" : "right";
  root.dataset.others = chosen.hide_others ? "hidden" : "shown";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (chosen.motion === "reduced" || (chosen.motion !== "full" && still)) root.dataset.motion = "none";
})();
