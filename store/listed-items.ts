import { createHash } from 'node:crypto';
import { itemName } from '../pipelines/item-name.ts';
import { overOf } from '../pipelines/loop-over.ts';
import { canonical } from '../text/canonical-json.ts';
import type { Json } from '../text/json.ts';
import { keptValue } from './kept-values.ts';

/** What stands for a text in names of files. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Lists that are remembered: each turn of a loop asks for the same ones. */
const mostLists = 8;
const remembered = new Map<string, Promise<readonly string[]>>();

/** The hashes of the names of all items that a loop goes over, in their order; `list`: its input, or a reference to that. */
export function listedItems(list: Json): Promise<readonly string[]> {
  const by = canonical(list);
  const known = remembered.get(by);
  if (known) return known;
  const read = hashesOf(list);
  remembered.set(by, read);
  // What could not be read may be there the next time.
  read.catch(() => remembered.delete(by));
  if (remembered.size > mostLists) remembered.delete(remembered.keys().next().value!);
  return read;
}

async function hashesOf(list: Json): Promise<readonly string[]> {
  const over = overOf(await keptValue(list));
  return Array.from({ length: over.count }, (_, index) => hashOf(itemName(over.at(index))));
}
