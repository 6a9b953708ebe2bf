import { BadInput } from '../../errors/classes.ts';
import type { ItemsInput, ItemsPage } from '../../pipelines/plan.ts';
import { keptValue } from '../../store/kept-values.ts';
import type { Json } from '../../text/json.ts';

/** Bytes of the items that go through the history at a time, and of one of them. */
const pageBytes = 32_768;
const mostItems = 500;

/** The part of a list in the run store that the turns of a loop begin with next. */
export async function itemsFrom({ list, from }: ItemsInput): Promise<ItemsPage> {
  const { items } = (await keptValue(list)) as { items: Json };
  if (!Array.isArray(items)) throw new BadInput('bad_input', `forEach.items: a list is due, not ${typeof items}`);
  const page: Json[] = [];
  let bytes = 0;
  for (const item of items.slice(from, from + mostItems)) {
    const size = Buffer.byteLength(JSON.stringify(item));
    if (size > pageBytes)
      throw new BadInput(
        'too_large',
        `item ${from + page.length} of forEach has ${size.toLocaleString('en-US')} bytes, at most ${pageBytes.toLocaleString('en-US')}: keep what is large in files, and go over their names`,
      );
    if (page.length > 0 && bytes + size > pageBytes) break;
    bytes += size;
    page.push(item);
  }
  return { total: items.length, items: page };
}
