import { posix } from 'node:path';
import { namespaces } from './namespaces.ts';
import type { Package } from './package.ts';
import { attributeOf, readWhole } from './xml.ts';

/** A part that another one names. `type` is the last word of its URI: `worksheet`. */
export type Relationship = { id: string; type: string; target: string };

/** The parts that a part names, '' for those of the package; a part without such a list names none. */
export async function relationshipsOf(parts: Package, part: string): Promise<Relationship[]> {
  const folder = posix.dirname(part);
  const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  if (!parts.has(list)) return [];
  const found: Relationship[] = [];
  await readWhole(parts, list, namespaces.package, {
    open(name, tag) {
      if (name !== 'Relationship' || attributeOf(tag, 'TargetMode') === 'External') return;
      const target = attributeOf(tag, 'Target') ?? '';
      found.push({
        id: attributeOf(tag, 'Id') ?? '',
        type: (attributeOf(tag, 'Type') ?? '').split('/').at(-1)!,
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return found;
}
