// Stand-ins for what the client's modules expect of a page, for tests in Node: events, sockets, and a clock that stands
// still unless a test advances it. Import it before the modules.

const page = new EventTarget();
const document = Object.assign(new EventTarget(), { documentElement: { lang: "en-gb", dataset: {} }, hidden: false });

/** Dispatch an event as a browser does: those of the document also reach the window. */
export function dispatch(type) {
  if (type === "visibilitychange") document.dispatchEvent(new Event(type));
  page.dispatchEvent(new Event(type));
}

let now = 0;
let last = 0;
const timers = new Map();

function start(callback, wait, every) {
  timers.set((last += 1), { callback, due: now + Math.max(Number(wait) || 0, every ? 1 : 0), every });
  return last;
}

/** Let time pass: timers fire in order, each at its time. */
export function advance(ms) {
  const end = now + ms;
  for (;;) {
    const [next] = [...timers].filter(([, { due }]) => due <= end).sort(([, one], [, other]) => one.due - other.due);
    if (!next) break;
    const [id, timer] = next;
    now = timer.due;
    if (timer.every) timer.due += timer.every;
    else timers.delete(id);
    timer.callback();
  }
  now = end;
}

/** A socket that does what a test says; `sockets` has all of them. */
class Socket extends EventTarget {
  static CONNECTING = 0;
  static OPEN = 1;
  readyState = 0;
  sent = [];

  constructor() {
    super();
    sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text).type);
  }

  close() {
    this.readyState = 2;
  }

  opens() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  says(message) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  ends(code) {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

export const sockets = [];

Object.assign(globalThis, {
  window: globalThis,
  document,
  location: { protocol: "https:", host: "talon.example" },
  WebSocket: Socket,
  addEventListener: (...how) => page.addEventListener(...how),
  setTimeout: (callback, wait) => start(callback, wait, 0),
  setInterval: (callback, wait) => start(callback, wait, wait),
  clearTimeout: (id) => timers.delete(id),
  clearInterval: (id) => timers.delete(id),
});
Date.now = performance.now = () => now;
Math.random = () => 0.5; // the middle of every random wait
