import { identifier } from '../../../text/sql.ts';
import type { Engine } from '../engine.ts';
import { commaLike, isNullWord, type Candidate } from './text-candidates.ts';

type Texts = { name: string; fit: readonly Candidate[]; isDate: boolean };

/** Why a column stays text though its texts look like something else, and what to write where they are that; undefined where all is plain. */
export async function hintOf(engine: Engine, relation: string, { name, fit, isDate }: Texts): Promise<string | undefined> {
  const [first, second] = fit;
  if (isDate) {
    if (first && second === undefined) return undefined;
    const ways = fit.map(({ format, type }) => `{ ${type === 'DATE' ? 'dateFormat' : 'timestampFormat'}: '${format}' }`);
    return first
      ? `dates of which nothing says whether day or month comes first: they stay text; say csv: ${ways.join(' or ')}`
      : 'dates in more than one way: they stay text; write them alike, as 2024-12-31';
  }
  if (first === commaLike) return 'numbers with a comma before their decimals: they stay text; say csv: { decimal: "," }';
  if (first?.type !== 'VARCHAR') return undefined;
  const text = identifier(name);
  const [found] = await engine.rows(
    `select list(distinct ${text} order by ${text}) filter (where ${isNullWord(text)}) as words, count(*) filter (where not ${isNullWord(text)})::double as others from ${relation}`,
  );
  const words = ((found!['words'] ?? []) as string[]).map((word) => JSON.stringify(word));
  return words.length === 0 || Number(found!['others']) === 0
    ? undefined
    : `its values are numbers or dates but for ${words.join(', ')}: they stay text; where that is no value, say csv: { nulls: [${words.join(', ')}] }`;
}
