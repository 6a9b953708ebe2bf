import { argument } from '../../text/shell.ts';

/** What a person says of an item that may have been done. */
export type Settled = 'done' | 'again';

/** How it is said on a command line, of an item or of a step. */
export const sayFate = (key: string, fate: Settled): string => `--fate ${argument(`${key}=${fate}`)}`;

/** What was said of an item, or of a step. An item may be called `constructor`. */
export const saidOf = (settled: { readonly [item: string]: Settled } | undefined, item: string): Settled | undefined =>
  settled && Object.hasOwn(settled, item) ? settled[item] : undefined;

type Before = { is: 'new' | 'open' | 'lost' } | { is: 'done'; fate: { status: string } };

/** What a rerun makes of an item: leaves it as it ended, does it (again), or asks a person. */
export function settle(before: Before | undefined, said: Settled | undefined): 'keep' | 'again' | 'ask' {
  if (!before || before.is === 'new' || (before.is === 'done' && before.fate.status === 'failed')) return 'again';
  if (before.is === 'done' && before.fate.status !== 'unknown') return 'keep';
  return said === undefined ? 'ask' : said === 'done' ? 'keep' : 'again';
}
