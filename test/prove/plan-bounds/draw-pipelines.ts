import { stringify } from 'yaml';
import type { Draw } from '../mistakes/draw.ts';
import { formats, type TableSpec } from './tables.ts';

/** A pipeline of drawn shape, the tables that it reads, and its gates, which are approved. */
export type Drawn = { text: string; tables: TableSpec[]; gates: string[]; uses: string[] };

/** Additions so small that the tables that are drawn are one shard or several: some are full by their rows, some by their bytes. */
export const small = { rows: 5_000, bytes: 3_000_000 };

/** Rows that a table adds to a dataset, and to one with hardly any: a map needs 20. */
const atEdges = [small.rows - 1, small.rows + 1, 7_000];
const additions = { more: [0, 3, 700, ...atEdges], first: [20, 700, ...atEdges] };

/** What runs before have put into a dataset. */
type Dataset = { slug: string; rows: number; versions: number; note: number; mapped: boolean; columns: Record<string, string> | undefined };

type Steps = Record<string, { use: string; with?: Record<string, unknown>; needs?: string[]; tolerate?: unknown }>;

const at = (step: string, output: string): string => `\${{ steps.${step}.${output} }}`;

/** Pipelines over the same few datasets, one after the other: each finds what those before it have made. */
export function createDrawing(draw: Draw, { till }: { till: string }): () => Drawn {
  const datasets: Dataset[] = [];
  let drawn = 0;
  const perhaps = (percent: number): boolean => draw.below(100) < percent;

  const columns = (): Record<string, string> | undefined =>
    perhaps(35) ? { text: perhaps(50) ? 'text' : 'trim(text)', year: 'year', note: 'note' } : undefined;

  return () => {
    const number = drawn++;
    const known = datasets.length > 0 && perhaps(65) ? draw.pick(datasets) : undefined;
    const dataset = known ?? {
      slug: `drawn-${number}`,
      rows: 0,
      versions: 0,
      note: draw.pick([4, 40, 900]),
      mapped: false,
      columns: columns(),
    };
    if (!known) datasets.push(dataset);
    const tables: TableSpec[] = [];
    const gates: string[] = [];
    const steps: Steps = { dataset: { use: 'dataset.ensure', with: { slug: dataset.slug } } };
    const add = (id: string, use: string, input: Record<string, unknown>, needs?: string[]): string => {
      steps[id] = { use, with: input, ...(needs ? { needs } : {}) };
      return id;
    };
    const id = at('dataset', 'id');

    const table = (name: string, { fresh }: { fresh: boolean }): TableSpec => {
      const overlap = fresh ? 0 : draw.below(Math.min(dataset.rows, 3_000) + 1);
      const count = Math.max(1, overlap + draw.pick(dataset.rows < 20 ? additions.first : additions.more));
      const spec = {
        name: `${dataset.slug}-${number}-${name}`,
        format: draw.pick(formats),
        from: dataset.rows - overlap,
        count,
        changed: fresh ? 0 : perhaps(50) ? draw.below(overlap + 1) : 0,
        version: ++dataset.versions,
        note: dataset.note,
      };
      dataset.rows = Math.max(dataset.rows, spec.from + count);
      tables.push(spec);
      return spec;
    };
    const source = ({ name, format }: TableSpec): unknown =>
      perhaps(20) ? { sql: 'select * from t where year >= 1900', tables: { t: `${name}.${format}` } } : `${name}.${format}`;
    let last: string[] = [];
    const times = dataset.rows === 0 ? 1 + draw.below(2) : draw.below(3);
    for (let time = 0; time < times; time++) {
      const name = `rows${time}`;
      const kind = draw.pick(['append', 'append', 'replace', 'load', 'upload'] as const);
      const spec = table(name, { fresh: kind === 'upload' });
      const input = { dataset: id, source: source(spec), id: { column: 'key' }, ...(dataset.columns ? { columns: dataset.columns } : {}) };
      if (kind === 'replace') {
        add(`${name}ok`, 'gate.approve', { approves: [name] });
        gates.push(`${name}ok`);
        add(name, 'dataset.append', { ...input, onChange: 'replace' }, last);
      } else add(name, kind === 'append' ? 'dataset.append' : `dataset.${kind}`, input, last);
      last = [name];
    }
    if (perhaps(dataset.mapped ? 70 : 85)) {
      const embed = perhaps(30) ? { embed: 'text' } : {};
      // Vectors of many rows take long, and what is counted here does not grow with them.
      const input = { dataset: id, ...(dataset.rows < 1_500 ? embed : {}), ...(perhaps(15) ? { onChange: 'rebuild' } : {}) };
      add('map', 'index.build', input, last);
      dataset.mapped = true;
      last = ['map'];
      const map = at('map', 'id');
      const where = draw.pick([
        undefined,
        { range: 'year', from: 1950 },
        { search: 'text', for: 'ship' },
        { all: [{ range: 'year', from: 1910, to: 1990 }, { not: { range: 'year', from: 1960, to: 1970 } }] },
        {
          any: [
            { category: 'text', in: ['bread 3'] },
            { search: 'text', for: 'storm' },
          ],
        },
      ]);
      add('some', 'points.select', { map, ...(where ? { where } : {}) });
      const points = at('some', 'points');
      for (const tag of ['one', 'two']) if (perhaps(45)) add(`tag${tag}`, 'points.tag', { map, points, add: `${tag}${draw.below(3)}` });
      if (perhaps(25)) add('untag', 'points.tag', { map, points, remove: `one${draw.below(3)}` });
      if ('embed' in input && perhaps(60)) {
        add('near', 'points.neighbors', { map, points, k: 2 });
        add('found', 'points.search', { map, query: 'ship', fields: ['text'], ...(where ? { where: { range: 'year', from: 1950 } } : {}) });
      }
      if (perhaps(25)) {
        add('few', 'points.select', { map, where: { range: 'year', from: 1900 + draw.below(60), to: 1965 } });
        add('ok', 'gate.approve', { approves: ['gone'] });
        gates.push('ok');
        add(
          'gone',
          'data.delete',
          { dataset: id, points: at('few', 'points') },
          Object.keys(steps).filter((step) => step !== 'dataset' && step !== 'ok'),
        );
        last = ['gone'];
      }
    }
    if (perhaps(30)) add('look', 'prove.look', { dataset: id, times: draw.below(4) });
    if (perhaps(30)) {
      add('may', 'gate.approve', { approves: ['charge'] });
      gates.push('may');
      add('charge', 'prove.charge', { url: till, count: draw.pick([0, 1, 30, 230]) });
    }
    if (perhaps(20)) add('listed', 'api.call', { operation: 'maps.projects.list', input: {} });
    // A deletion that is not committed is in the way of the next pipeline.
    if ('gone' in steps || perhaps(20))
      add('updated', 'index.update', { dataset: id }, [
        ...last,
        ...Object.keys(steps).filter((step) => /^tag|^untag|^near|^found|^some/.test(step)),
      ]);
    const text = stringify({ name: `drawn-${number}`, steps });
    return { text, tables, gates, uses: Object.values(steps).map(({ use }) => use) };
  };
}
