import css from "@eslint/css";
import js from "@eslint/js";

const WIDTH = 120;

/** `max-len` reads scripts only: the same for style sheets. */
const width = {
  create: (context) => ({
    StyleSheet: () =>
      context.sourceCode.lines.forEach((text, k) => {
        if (text.length > WIDTH)
          context.report({ loc: { line: k + 1, column: WIDTH + 1 }, message: `A line is longer than ${WIDTH}.` });
      }),
  }),
};

export default [
  {
    files: ["static/js/**/*.js"],
    ...js.configs.recommended,
    rules: {
      ...js.configs.recommended.rules,
      "max-len": ["error", { code: WIDTH }],
      "max-lines": ["error", 200],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-restricted-globals": ["error", { name: "fetch", message: "Use shared/request.js." }],
      "no-undef": "off", // the type check knows all names
      "no-unused-vars": ["error", { ignoreRestSiblings: true, varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
  {
    // The service worker, and the drawing of cards, which has its own preload.
    files: ["static/js/shared/request.js", "static/js/worker.js", "static/js/table/drawing/artwork.js"],
    rules: { "no-restricted-globals": "off" },
  },
  {
    // The state of a table is its ground floor: it knows nothing of drawing, input and the rest.
    files: ["static/js/table/state/**/*.js"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: "^\\.\\./[a-z]", message: "state/ imports nothing above it." }] },
      ],
    },
  },
  {
    files: ["static/css/**/*.css"],
    plugins: { css, form: { rules: { width } } },
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      "css/no-important": "off",
      // The variables are defined in a sheet of their own.
      "css/no-invalid-properties": ["error", { allowUnknownVariables: true }],
      "css/use-baseline": "off",
      "form/width": "error",
    },
  },
];
