import { data } from './data.ts';
import { datasets } from './datasets.ts';
import { instance } from './instance.ts';
import { maps } from './maps.ts';
import { points } from './points.ts';

/** The assumptions about each API by name. */
export const assumptionsOf = { maps: { ...data, ...maps, ...points, ...datasets }, instance } as const;

/** All of them: the local service can take each reading, a connection can name it, `doctor --probe` finds it. */
export const assumptions = { ...assumptionsOf.maps, ...assumptionsOf.instance } as const;

export type AssumptionName = keyof typeof assumptions;

/** The readings of one assumption. */
export type ReadingOf<N extends AssumptionName> = Extract<keyof (typeof assumptions)[N]['readings'], string>;

/** One reading for each assumption. */
export type Readings = { [N in AssumptionName]: ReadingOf<N> };

export const assumptionNames = Object.keys(assumptions) as AssumptionName[];

/** The names of the readings of an assumption; the first is the guess. */
export const readingsOf = <N extends AssumptionName>(name: N): ReadingOf<N>[] => Object.keys(assumptions[name].readings) as ReadingOf<N>[];

/** The readings that are guessed where nothing is known. */
export const guessedReadings = (): Readings =>
  Object.fromEntries(assumptionNames.map((name): [string, string] => [name, readingsOf(name)[0]!])) as Readings;

/** One `NAME=READING`; the fault of a text that is none, with what is known instead. */
export function parseReading(text: string): Partial<Readings> | { fault: string } {
  const [name = '', reading = ''] = text.split('=');
  if (!Object.hasOwn(assumptions, name)) return { fault: `'${name}' is no assumption; known: ${assumptionNames.join(', ')}` };
  const known = readingsOf(name as AssumptionName) as string[];
  if (!known.includes(reading)) return { fault: `'${reading}' is no reading of ${name}; known: ${known.join(', ')}` };
  return { [name]: reading };
}
