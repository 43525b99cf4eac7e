/** Buttons that copy the text of a field. */

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copies]")))
  button.addEventListener("click", async () => {
    const field = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copies ?? ""));
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = button.dataset.done ?? "";
    } catch {
      // The text stays selected, so the user can copy it manually.
    }
  });
