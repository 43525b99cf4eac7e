import css from "@eslint/css";
import js from "@eslint/js";

export default [
  {
    files: ["static/js/**/*.js"],
    ignores: ["static/js/catalogue/**"],
    ...js.configs.recommended,
    rules: {
      ...js.configs.recommended.rules,
      "max-len": ["error", { code: 120 }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-undef": "off", // the type check knows all names
      "no-unused-vars": ["error", { ignoreRestSiblings: true, varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
  {
    files: ["static/css/**/*.css"],
    plugins: { css },
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      "css/no-important": "off",
      // The variables are defined in a sheet of their own.
      "css/no-invalid-properties": ["error", { allowUnknownVariables: true }],
      "css/use-baseline": "off",
    },
  },
];
