/**
 * Deck artwork. A deck is one SVG file with one symbol per line (see frontend/artwork/cards.py), read as text here. A
 * card's picture becomes elements only when the card shows. With `use` of a symbol in another file, a browser would
 * build, style and lay out that whole file, plus a shadow tree for every emblem on every card.
 */

const SYMBOL = /^(?:<defs>)?<(g|symbol) id="([^"]+)"[^>]*>(.*)<\/\1>(?:<\/defs>)?$/gm;
const USE = /<use href="#([^"]+)"( transform="[^"]*")?\/>/g;
const INDEX_EMBLEM = /<use href="#([^"]+)"( transform="[^"]*")\/>/;
const SVG = "http://www.w3.org/2000/svg";

class Artwork {
  /** @type {Map<string, string>|null} what is inside each symbol */ #symbols = null;
  /** @type {Map<SVGElement, () => void>} */ #waiting = new Map();
  #requested = false;

  /** @param {string} address of the deck's file */
  constructor(address) {
    this.address = address;
  }

  /**
   * @param {string} viewBox @param {string} className
   * @param {string[]} symbols drawn on top of each other, now or when the file has loaded
   * @param {string} [badge] path of a ground for the emblem in the index, which is then white
   * @returns {SVGElement}
   */
  picture(viewBox, className, symbols, badge) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", viewBox);
    svg.setAttribute("class", className);
    svg.setAttribute("aria-hidden", "true");
    const fill = () => this.#fill(svg, symbols, badge);
    if (this.#symbols) fill();
    else {
      this.#waiting.set(svg, fill);
      this.load();
    }
    return svg;
  }

  /** Loads the file. After a failure, the next picture tries again. */
  async load() {
    if (this.#requested) return;
    this.#requested = true;
    try {
      // The same options as the page's preload; otherwise WebKit would load the file twice.
      const response = await fetch(this.address, { mode: "no-cors", credentials: "include" });
      if (!response.ok) throw new Error(String(response.status));
      this.#symbols = new Map([...(await response.text()).matchAll(SYMBOL)].map(([, , id, inside]) => [id, inside]));
    } catch {
      this.#requested = false;
      return;
    }
    for (const fill of this.#waiting.values()) fill();
    this.#waiting.clear();
  }

  /** @param {SVGElement} svg @param {string[]} symbols @param {string} [badge] */
  #fill(svg, symbols, badge) {
    const emblem = '<g color="#fff"><use href="#$1" transform="scale(.6)"/></g>';
    const badged = `<g fill="currentColor"$2><path d="${badge}"/>${emblem}</g>`;
    svg.innerHTML = symbols
      .map((id) => {
        const inside = this.#inside(id);
        // The first emblem of a symbol with an index is the index's own.
        return badge && id.includes("-") ? inside.replace(INDEX_EMBLEM, badged) : inside;
      })
      .join("")
      .replace(USE, (_, used, transform = "") => `<g fill="currentColor"${transform}>${this.#inside(used)}</g>`);
  }

  /** @param {string} id */
  #inside(id) {
    return this.#symbols?.get(id) ?? "";
  }
}

/** @type {Record<string, Artwork>} */
const decks = {};

/** @param {string} address @returns {Artwork} shared by all tables of a page */
export const artworkAt = (address) => (decks[address] ??= new Artwork(address));
