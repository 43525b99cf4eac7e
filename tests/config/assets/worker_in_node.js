// Runs the service worker in Node and lets a test fire its events: each line on stdin is a program, and each line on
// stdout what the worker did.
const readline = require("node:readline");
const vm = require("node:vm");

async function play({ script, kept, steps, zone }) {
  process.env.TZ = zone;
  const told = [];
  const shelves = new Map([["talon-old", new Map()], ["another's", new Map()]]);
  let line = true;
  let wired = true;

  const shelf = (name) => {
    if (!shelves.has(name)) shelves.set(name, new Map());
    const has = shelves.get(name);
    return {
      addAll: async (requests) => {
        for (const { url, credentials } of requests) has.set(new URL(url).pathname, `kept ${credentials}`);
      },
      match: async (address) => (has.has(address) ? new Response(has.get(address)) : undefined),
    };
  };
  const listeners = {};
  const windows = [];
  const self = {
    talon: kept,
    location: { origin: "https://talon.example" },
    navigator: {
      get onLine() {
        return wired;
      },
    },
    addEventListener: (type, listener) => (listeners[type] = listener),
    skipWaiting: async () => told.push("skips waiting"),
    registration: {
      navigationPreload: { enable: async () => told.push("preloads") },
      pushManager: {
        subscribe: async ({ applicationServerKey }) => subscription(`https://push.example/for-${applicationServerKey}`),
      },
      showNotification: async (title, options) => told.push({ title, ...options }),
    },
    clients: {
      claim: async () => told.push("claims"),
      matchAll: async () => windows,
      openWindow: async (url) => told.push(`opens ${url}`),
    },
  };
  const subscription = (endpoint) => ({
    endpoint,
    options: { applicationServerKey: "key" },
    toJSON: () => ({ endpoint, keys: { p256dh: "point", auth: "secret" } }),
  });
  class Asked extends Request {
    constructor(address, options) {
      super(new URL(address, "https://talon.example"), options);
    }
  }
  const world = {
    self,
    URL,
    Response,
    Request: Asked,
    caches: {
      open: async (name) => shelf(name),
      keys: async () => [...shelves.keys()],
      delete: async (name) => shelves.delete(name),
    },
    fetch: async (asked, options) => {
      if (options) told.push([asked, options.method, options.credentials, JSON.parse(options.body)]);
      const url = asked.url ?? `https://talon.example${asked}`;
      if (!line) throw new TypeError("no line");
      return new Response(`from the line: ${new URL(url).pathname}`);
    },
  };
  vm.runInNewContext(script, world);

  const actions = {
    line: (on) => (line = on),
    wire: (on) => (wired = on),
    change: async (before, after) => {
      const waits = [];
      listeners.pushsubscriptionchange({
        waitUntil: (promise) => waits.push(promise),
        oldSubscription: before && subscription(before),
        newSubscription: after && subscription(after),
      });
      await Promise.all(waits);
    },
    window: (url) => windows.push({ url, focus: async () => told.push(`focuses ${url}`) }),
    shelves: () => told.push([...shelves].map(([name, has]) => [name, [...has]])),
    fire: async (type, about) => {
      const waits = [];
      const notification = { close: () => told.push("closes"), data: type === "notificationclick" ? about : undefined };
      const event = { waitUntil: (promise) => waits.push(promise), notification };
      listeners[type]({ ...event, data: { json: () => about } });
      await Promise.all(waits);
    },
    ask: async (url, mode, method = "GET") => {
      let answer = null;
      const request = { url, mode, method };
      listeners.fetch({ request, preloadResponse: Promise.resolve(undefined), respondWith: (given) => (answer = given) });
      const got = await answer;
      told.push(got === null ? "not its business" : got.type === "error" ? "nothing" : await got.text());
    },
  };
  for (const [what, ...how] of steps) await actions[what](...how);
  return told;
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify(await play(JSON.parse(line)))}\n`);
})();
