// Blocking script in the head, so that the first paint already has the player's colours.
(() => {
  const root = document.documentElement;
  const matches = (/** @type {string} */ query) => matchMedia(query).matches;

  /** Copies settings to the root element, where the style sheet reads them. @param {any} settings */
  function applySettings({ theme = "system", table, back, motion = "system", four_colours, left_handed, hide_others }) {
    root.dataset.theme = theme === "system" ? (matches("(prefers-color-scheme: dark)") ? "dark" : "light") : theme;
    root.dataset.felt = table ?? "green";
    root.dataset.back = back ?? "lattice";
    root.dataset.suits = four_colours ? "four" : "two";
    root.dataset.hand = left_handed ? "left" : "right";
    root.dataset.others = hide_others ? "hidden" : "shown";
    const isStill = motion === "system" ? matches("(prefers-reduced-motion: reduce)") : motion === "reduced";
    if (isStill) root.dataset.motion = "none";
    else delete root.dataset.motion;
  }

  let stored = {};
  try {
    stored = JSON.parse(localStorage.getItem("talon.settings") ?? "{}");
  } catch {
    // Unreadable settings count as none.
  }
  applySettings({ ...stored, ...JSON.parse(root.dataset.preferences || "{}") });
  Object.assign(globalThis, { talonApplySettings: applySettings });
})();
