// Reads the programs of docs/recipes.md: the page of the documentation is their only source.

const RECIPE = /^## ([^\n]+)\n\n(.+?)\n\n```js\n(.+?)```\n\n```text\n(.+?)```$/gms

/**
 * Returns the recipes of the page: { name, title, text, code, output }. `name` is the anchor of the heading;
 * `text` is Markdown, with no markup but code in backticks.
 * @param {string} page
 */
export const readRecipes = (page) =>
  [...page.matchAll(RECIPE)].map(([, title, text, code, output]) => ({
    name: title.toLowerCase().replaceAll(' ', '-'),
    title,
    text,
    code,
    output,
  }))
