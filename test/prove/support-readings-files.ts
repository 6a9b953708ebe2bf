import { readFileSync } from 'node:fs';

/** The ready-made pipeline file, and files that do what it does not. */
export const ingest = readFileSync(new URL('../../pipelines/ingest.yaml', import.meta.url), 'utf8');

/** Rows that change, a tag that comes and goes, and a selection whose rows are deleted: what the ready-made file does not do. */
export const change = `
name: change
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
  rows:
    use: dataset.append
    with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id }, onChange: replace }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}", embed: text } }
outputs: { dataset: "\${{ steps.dataset.id }}", map: "\${{ steps.map.id }}" }
`;
export const select = `
name: select
params: { map: { type: string } }
steps:
  every: { use: points.select, with: { map: "\${{ params.map }}" } }
  ends: { use: points.select, with: { map: "\${{ params.map }}", where: { range: uses, from: 10, to: 20 } } }
  open: { use: points.select, with: { map: "\${{ params.map }}", where: { range: score, from: 1.5 } } }
  times: { use: points.select, with: { map: "\${{ params.map }}", where: { range: at, from: 2024-01-10T00:00:00Z, to: 2024-01-12T00:00:00Z } } }
  one: { use: points.select, with: { map: "\${{ params.map }}", where: { category: uses, in: [11, "12"] } } }
  neither: { use: points.select, with: { map: "\${{ params.map }}", where: { not: { any: [{ category: kind, in: [person] }, { category: kind, in: [plant] }] } } } }
outputs:
  every: "\${{ steps.every.points }}"
  ends: "\${{ steps.ends.points }}"
  open: "\${{ steps.open.points }}"
  times: "\${{ steps.times.points }}"
  one: "\${{ steps.one.points }}"
  neither: "\${{ steps.neither.points }}"
`;
const single = (name: string, where: string): string => `
name: ${name}
params: { map: { type: string } }
steps:
  found: { use: points.select, with: { map: "\${{ params.map }}", where: ${where} } }
outputs: { found: "\${{ steps.found.points }}" }
`;
export const nulls = single('nulls', '{ not: { range: uses, from: 10 } }');
export const search = single('search', '{ search: text, for: harb }');
export const tag = `
name: tag
params: { map: { type: string } }
steps:
  some: { use: points.select, with: { map: "\${{ params.map }}", where: { category: kind, in: [animal] } } }
  seen: { use: points.tag, with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", add: seen } }
  again: { use: points.tag, needs: [seen], with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", add: seen, again: true } }
  never: { use: points.tag, with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", remove: unheard } }
  kept: { use: points.tag, with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", add: gone } }
  gone: { use: points.tag, needs: [kept], with: { map: "\${{ params.map }}", points: "\${{ steps.some.points }}", remove: gone } }
outputs: { seen: "\${{ steps.again.count }}", missing: "\${{ steps.again.missing }}" }
`;
export const remove = `
name: remove
params: { map: { type: string }, dataset: { type: string } }
steps:
  old: { use: points.select, with: { map: "\${{ params.map }}", where: { range: uses, to: 9 } } }
  ok: { use: gate.approve, with: { show: "\${{ steps.old.count }}" } }
  few: { use: points.select, with: { map: "\${{ params.map }}", where: { range: uses, to: 4 } } }
  first: { use: data.delete, needs: [ok], with: { dataset: "\${{ params.dataset }}", points: "\${{ steps.few.points }}" } }
  gone: { use: index.update, needs: [first], with: { dataset: "\${{ params.dataset }}" } }
  delete: { use: data.delete, needs: [ok, gone], with: { dataset: "\${{ params.dataset }}", points: "\${{ steps.old.points }}" } }
  update: { use: index.update, needs: [delete], with: { dataset: "\${{ params.dataset }}" } }
  left: { use: points.select, needs: [update], with: { map: "\${{ params.map }}" } }
outputs: { left: "\${{ steps.left.points }}", rows: "\${{ steps.update.rows }}" }
`;

/** The nearest of every point. */
export const neighbors = `
name: neighbors
params: { map: { type: string } }
steps:
  every: { use: points.select, with: { map: "\${{ params.map }}" } }
  near: { use: points.neighbors, with: { map: "\${{ params.map }}", points: "\${{ steps.every.points }}", k: 3 } }
outputs: { pairs: "\${{ steps.near.pairs }}" }
`;

export const upload = `
name: upload
params: { source: { type: path }, dataset: { type: string } }
steps:
  rows: { use: dataset.upload, with: { dataset: "\${{ params.dataset }}", source: "\${{ params.source }}", id: { column: id } } }
outputs: { added: "\${{ steps.rows.added }}", present: "\${{ steps.rows.present }}" }
`;
export const plain = `
name: plain
params: { dataset: { type: string } }
steps:
  map: { use: index.build, with: { dataset: "\${{ params.dataset }}" } }
outputs: { map: "\${{ steps.map.id }}" }
`;
/** No service has a model of this name. */
const noModel = 'svc-embed-text-v9';
export const unbuildable = `
name: unbuildable
params: { dataset: { type: string } }
steps:
  map: { use: index.build, with: { dataset: "\${{ params.dataset }}", embed: text, model: ${noModel} } }
outputs: { map: "\${{ steps.map.id }}" }
`;
