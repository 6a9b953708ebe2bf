import type { Json } from '../../text/json.ts';
import { formatPath, type Finding, type Locate, type Path } from '../file/findings.ts';
import { partsIn, window } from '../steps/loop.ts';

/** A window of a loop that ends before it begins: a loop under a condition may be meant for it, and then has no turn. */
export function checkWindow(input: Json, when: string | boolean, base: Path, locate: Locate): Finding[] {
  const { success, data } = window.safeParse((input as { window?: Json }).window);
  if (!success || when !== true || (partsIn(data) ?? 0) >= 0) return [];
  const place = [...base, 'window', 'to'];
  return [
    {
      code: 'invalid-value',
      message: 'the window ends before it begins',
      path: formatPath(place),
      ...locate.value(place),
      remedy: 'swap from and to',
    },
  ];
}
