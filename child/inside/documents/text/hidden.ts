import type { DefaultTreeAdapterTypes } from 'parse5';

type Element = DefaultTreeAdapterTypes.Element;

/** Elements of which nobody sees what they hold. */
const unseen = new Set(
  'script style noscript template head svg math iframe object select datalist textarea button audio video canvas'.split(' '),
);

export const attribute = ({ attrs }: Pick<Element, 'attrs'>, name: string): string | undefined =>
  attrs.find((each) => each.name === name)?.value;

/** The declarations of a style attribute, the last of a name first. */
const declarations = (style: string): [name: string, value: string][] =>
  style
    .replaceAll(/\/\*.*?\*\//gs, ' ')
    .toLowerCase()
    .split(';')
    .map((each): [string, string] => {
      const [name = '', value = ''] = each.split(/:(.*)/s);
      return [name.trim(), value.replace('!important', '').trim()];
    })
    .toReversed();

function isStyledAway(style: string): boolean {
  const all = declarations(style);
  const valueOf = (wanted: string): string | undefined => all.find(([name]) => name === wanted)?.[1];
  return valueOf('display') === 'none' || ['hidden', 'collapse'].includes(valueOf('visibility') ?? '');
}

/**
 * True of an element that a page does not show: by its name, its attribute `hidden` or its own style; style sheets are not looked at.
 * `hidden="until-found"` is there to be found, and what `aria-hidden` keeps from being read aloud is seen.
 */
export function isHidden(element: Pick<Element, 'tagName' | 'attrs'>): boolean {
  const hidden = attribute(element, 'hidden');
  if (unseen.has(element.tagName) || (hidden !== undefined && hidden.toLowerCase() !== 'until-found')) return true;
  if (element.tagName === 'dialog' && attribute(element, 'open') === undefined) return true;
  return isStyledAway(attribute(element, 'style') ?? '');
}
