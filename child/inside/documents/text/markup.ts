import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { isHidden } from './hidden.ts';

/** Elements without an end. */
const empty = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Attributes are bounded: a quote that never ends would be looked for from each tag on. */
const tags = /<!--.*?-->|<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^'">]){0,2000})>/gis;

/** A tag by its name and attributes; the parser would drop that of a row that stands in no table. */
function hides(tagName: string, attributes: string): boolean {
  const [element] = parseFragment(`<div${attributes}>`).childNodes as DefaultTreeAdapterTypes.Element[];
  return isHidden({ tagName, attrs: element?.attrs ?? [] });
}

/** HTML between texts of Markdown, piece by piece: an element may begin in one and end in a later one. */
export type Markup = {
  /** Follows the tags of a piece, and returns what of it stands behind an element that was hidden before: all of it where none was. */
  see(html: string): string;
  /** Whether what comes now stands in an element that is hidden. */
  readonly isHidden: boolean;
};

export function createMarkup(): Markup {
  /** The outermost hidden element that is open, and how many of its name are open within it. */
  let hidden: { name: string; depth: number } | undefined;
  return {
    see(html) {
      const before = hidden;
      let from = hidden ? html.length : 0;
      for (const { 0: tag, 1: end, 2: named = '', 3: attributes = '', index } of html.matchAll(tags)) {
        const name = named.toLowerCase();
        const isOpening = end !== '/';
        if (name === '' || empty.has(name) || (isOpening && attributes.endsWith('/'))) continue;
        if (!hidden) {
          if (isOpening && hides(name, attributes)) hidden = { name, depth: 1 };
          continue;
        }
        if (name !== hidden.name) continue;
        hidden.depth += isOpening ? 1 : -1;
        if (hidden.depth > 0) continue;
        if (hidden === before) from = index + tag.length;
        hidden = undefined;
      }
      return html.slice(from);
    },
    get isHidden() {
      return hidden !== undefined;
    },
  };
}
