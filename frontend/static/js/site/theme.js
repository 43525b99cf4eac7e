// Blocking script in the head, so that the first paint already has the player's colours.
(() => {
  const root = document.documentElement;
  const matches = (/** @type {string} */ query) => matchMedia(query).matches;

  /** Copies settings to the root element, where the style sheet reads them. @param {any} settings */
  function applySettings({ theme = "system", table, back, motion = "system", card_face, left_handed, hide_others }) {
    root.dataset.theme = theme === "system" ? (matches("(prefers-color-scheme: dark)") ? "dark" : "light") : theme;
    root.dataset.felt = table ?? "green";
    root.dataset.back = back ?? "lattice";
    root.dataset.suits = card_face === "colours" ? "four" : "two";
    root.dataset.hand = left_handed ? "left" : "right";
    root.dataset.others = hide_others ? "hidden" : "shown";
    const isStill = motion === "system" ? matches("(prefers-reduced-motion: reduce)") : motion === "reduced";
    if (isStill) root.dataset.motion = "none";
    else delete root.dataset.motion;
  }

  /** Replaces the two switches of earlier versions by a choice. @param {any} settings */
  const upgraded = ({ four_colours, large_cards, ...rest }) => ({
    card_face: large_cards ? "large" : four_colours ? "colours" : "classic",
    ...rest,
  });

  let stored = {};
  try {
    stored = upgraded(JSON.parse(localStorage.getItem("talon.settings") ?? "{}"));
  } catch {
    // Unreadable settings count as none.
  }
  const chosen = { ...stored, ...JSON.parse(root.dataset.preferences || "{}") };
  applySettings(chosen);
  Object.assign(globalThis, { talonApplySettings: applySettings, talonSettings: chosen });
})();
