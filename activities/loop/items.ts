import { BadInput } from '../../errors/classes.ts';
import { overOf } from '../../pipelines/loop-over.ts';
import type { ItemsInput, ItemsPage } from '../../pipelines/plan.ts';
import { keptValue } from '../../store/kept-values.ts';
import type { Json } from '../../text/json.ts';
import { expressed } from '../frame/expression-failure.ts';

/** Bytes of the items that go through the history at a time, and of one of them. */
const pageBytes = 32_768;
const mostItems = 500;

/** The part of what a loop goes over that its turns begin with next, where that stands in the run store. */
export async function itemsFrom({ list, from }: ItemsInput): Promise<ItemsPage> {
  const kept = await keptValue(list);
  const over = expressed(() => overOf(kept), 'forEach');
  const page: Json[] = [];
  let bytes = 0;
  for (let index = from; index < Math.min(over.count, from + mostItems); index++) {
    const item = over.at(index);
    const size = Buffer.byteLength(JSON.stringify(item));
    if (size > pageBytes)
      throw new BadInput(
        'too_large',
        `item ${index} of forEach has ${size.toLocaleString('en-US')} bytes, at most ${pageBytes.toLocaleString('en-US')}: keep what is large in files, and go over their names`,
      );
    if (page.length > 0 && bytes + size > pageBytes) break;
    bytes += size;
    page.push(item);
  }
  return { total: over.count, items: page };
}
