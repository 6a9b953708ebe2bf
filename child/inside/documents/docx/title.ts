import type { Package } from '../../formats/office/package.ts';
import type { Relationship } from '../../formats/office/relationships.ts';
import { readWhole } from '../../formats/office/xml.ts';

const properties = /^http:\/\/schemas\.openxmlformats\.org\/package\/2006\/metadata\/core-properties$/;
const dublinCore = 'http://purl.org/dc/elements/1.1/';

/** The title that a package says it has. */
export async function readTitle(parts: Package, named: readonly Relationship[]): Promise<string | undefined> {
  const part = named.find(({ type }) => type === 'core-properties')?.target;
  if (part === undefined || !parts.has(part)) return undefined;
  let title = '';
  let isTitle = false;
  await readWhole(parts, part, properties, {
    open(_, { local, uri }) {
      isTitle = local === 'title' && uri === dublinCore;
    },
    text(found) {
      if (isTitle) title += found;
    },
    close() {
      isTitle = false;
    },
  });
  return title.trim() || undefined;
}
