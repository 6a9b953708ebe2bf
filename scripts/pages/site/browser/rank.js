// A classic script, as all of them: a page that is read from disk loads no modules.

/** How well a section fits a word: best where a word of its page or heading begins so; 0 where it is not in it. */
const fits = ({ page, heading, text }, word) => {
  const title = `${page} ${heading}`.toLowerCase();
  if (title.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) return 20;
  if (title.includes(word)) return 10;
  const body = text.toLowerCase();
  const at = body.indexOf(word);
  return at < 0 ? 0 : /[\p{L}\p{N}]/u.test(body[at - 1] ?? ' ') ? 1 : 3;
};

/** The sections that hold every word of a query, the best first, at most twelve. */
globalThis.searchSections = (sections, query) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = words.join(' ');
  if (words.length === 0) return [];
  return sections
    .map((section) => {
      const each = words.map((word) => fits(section, word));
      const named = section.heading.toLowerCase() === whole ? 100 : 0;
      return { section, words, score: each.includes(0) ? 0 : each.reduce((sum, score) => sum + score, named) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 12);
};
