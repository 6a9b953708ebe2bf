import { select } from '../engine/datasets/dataset.ts';
import { chosenColumns, columnList } from '../engine/datasets/rows.ts';
import type { Row } from '../engine/datasets/rows.ts';
import { isBuilding } from '../engine/datasets/schema.ts';
import type { StoredColumn, IndexRow } from '../engine/datasets/schema.ts';
import { notFound } from '../core/errors.ts';
import { projectOf } from '../core/records/projects.ts';
import { blobColumn, imageAddress } from './images.ts';
import { minute, plainPage, tableOf } from './plain-page.ts';
import { escapeHtml as e } from '../../text/html.ts';
import { bytes, number } from '../../text/units.ts';
import type { UploadRow } from '../engine/uploads/records.ts';
import { mapTitle } from './map-title.ts';
import type { PagesState } from './state.ts';

const ROWS = 20;
const MAX_CHARACTERS = 400;

const cell = (value: Row[string] | undefined, { type }: StoredColumn): string => {
  if (value === null || value === undefined) return '<td class="quiet">–</td>';
  if (type === 'timestamp') return `<td>${e(Math.abs(Number(value)) <= 8.64e15 ? new Date(Number(value)).toISOString() : value)}</td>`;
  // The digits that a number of 32 bits has.
  if (typeof value === 'number') return `<td class="n">${e(type === 'float32' ? Number(value.toPrecision(7)) : value)}</td>`;
  const text = String(value);
  return `<td>${e(text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text)}</td>`;
};

const mapLine = (index: IndexRow): string => `<li><a href="/maps/${e(index.projection_id)}">${e(mapTitle(index))}</a>
<span class="quiet">${number(index.rows)} points · ${e(index.index_name ?? 'without a name')}${
  index.stage === 'Completed' ? '' : ` · ${e(index.stage)}${index.error === null ? '' : `: ${e(index.error)}`}`
}</span></li>`;

const columnLine = ({ name, type, dimensions }: StoredColumn, idField: string | null): string =>
  `<li><b>${e(name)}</b> <span class="quiet">${e(type)}${dimensions === null ? '' : ` of ${dimensions}`}${name === idField ? ' · unique id' : ''}</span></li>`;

const uploadsTable = (under: readonly UploadRow[], partsOf: (uploadId: string) => number): string =>
  tableOf<UploadRow>(
    'Uploads',
    [
      { name: 'begun', cell: ({ created_at }) => minute(created_at) },
      { name: 'file', cell: ({ file_type, file_size }) => `${e(file_type)}, ${bytes(file_size)}` },
      {
        name: 'parts here',
        cell: ({ upload_id, file_size, part_size }) =>
          `${number(partsOf(upload_id))} of ${number(Math.max(1, Math.ceil(file_size / part_size)))}`,
        number: true,
      },
    ],
    under,
    'None.',
  );

/** The first images of a dataset of images; what is none is left to the browser, which shows its name. */
const picturesOf = (project: string, rows: readonly Row[]): string => {
  const hashes = rows.flatMap((row) => (/^[0-9a-f]{64}$/.test(String(row[blobColumn])) ? [String(row[blobColumn])] : []));
  if (hashes.length === 0) return '';
  return `<h2>First images</h2><div class="pictures">${hashes.map((hash) => `<img src="${imageAddress(project, hash)}" alt="image ${hash.slice(0, 8)}" loading="lazy">`).join('')}</div>`;
};

/** The page of a dataset: counts, columns, maps and its first rows. It loads itself again while a map is being built. */
export const datasetPage = async (
  { records, datasets, uploads, userId }: PagesState,
  organizationSlug: string,
  slug: string,
): Promise<Response> => {
  const record = records.get<{ id: string }>(
    'SELECT projects.id FROM projects JOIN organizations ON organizations.id = owner WHERE organizations.slug = ? AND projects.slug = ? AND removed_at IS NULL',
    organizationSlug,
    slug,
  );
  if (!record) throw notFound('dataset', `${organizationSlug}/${slug}`);
  const project = projectOf(records, userId, record.id);
  return datasets.use(project.id, async (dataset) => {
    const { facts, shown, rows } = await dataset.read(async (connection, factsHere) => {
      const known = await factsHere();
      const columns = chosenColumns(known, 'columns');
      const first =
        columns.length === 0
          ? []
          : await select<Row>(
              connection,
              `SELECT ${columnList(columns)} FROM data WHERE "_row" NOT IN (SELECT "_row" FROM deleted WHERE replaced) ORDER BY "_row" LIMIT ${ROWS}`,
            );
      return { facts: known, shown: columns, rows: first };
    });
    const table = `<div class="scroll" tabindex="0" role="region" aria-label="First rows"><table><thead><tr>${shown.map(({ name }) => `<th scope="col">${e(name)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${shown.map((column) => cell(row[column.name], column)).join('')}</tr>`).join('\n')}</tbody></table></div>`;
    const under = uploads.records.list().filter(({ project_id }) => project_id === project.id);
    return plainPage({
      title: `${project.project_name} · dataset`,
      at: '/',
      images: true,
      ...(facts.indices.some(isBuilding) ? { refresh: 2 } : {}),
      body: `<h1>${e(project.project_name)}</h1>
${project.description === '' ? '' : `<p>${e(project.description)}</p>`}
<p class="quiet">${e(organizationSlug)}/${e(slug)} · ${number(facts.rows)} rows · ${facts.columns.length} columns · ${facts.indices.length} ${facts.indices.length === 1 ? 'map' : 'maps'} · <a href="/journal?dataset=${e(project.id)}">journal</a></p>
<h2>Maps</h2>${facts.indices.length === 0 ? '<p class="quiet">None yet. The step index.build makes one.</p>' : `<ul>${facts.indices.map(mapLine).join('\n')}</ul>`}
<h2>Columns</h2>${facts.columns.length === 0 ? '<p class="quiet">None yet. The first upload decides them.</p>' : `<ul class="columns">${facts.columns.map((column) => columnLine(column, facts.idField)).join('\n')}</ul>`}
${under.length === 0 ? '' : `<h2>Uploads under way</h2>${uploadsTable(under, (id) => uploads.records.parts(id).length)}`}
${picturesOf(project.id, rows)}
${rows.length === 0 ? '' : `<h2>First ${rows.length === 1 ? 'row' : `${rows.length} rows`}</h2>${table}`}`,
    });
  });
};
