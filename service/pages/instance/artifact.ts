import type { z } from 'zod';
import { exportedFrom, exportFormats, type artifact } from '../../../contracts/instance/agent-shapes.ts';
import { escapeHtml as e } from '../../../text/html.ts';
import { number } from '../../../text/units.ts';
import type { Review, Table } from '../../engine/agents/artifacts.ts';
import { tableOf } from '../plain-page.ts';

type Artifact = z.input<typeof artifact>;

/** Rows of a table, and characters of a text, that a page shows. */
const mostRows = 100;
const mostCharacters = 20_000;

const cell = (value: unknown): string =>
  value === null || value === undefined ? '<span class="quiet">–</span>' : e(typeof value === 'object' ? JSON.stringify(value) : value);

const table = (name: string, { schema, elements }: Table): string =>
  `${tableOf<Table['elements'][number]>(
    name,
    schema.map((column) => ({
      name: column.name,
      cell: (row) => cell(row[column.name]),
      ...(column.type === 'number' ? { number: true as const } : {}),
    })),
    elements.slice(0, mostRows),
    'A table without rows.',
  )}${elements.length > mostRows ? `<p class="quiet">The first ${number(mostRows)} of ${number(elements.length)} rows; a file holds all of them.</p>` : ''}`;

const review = ({ files }: Review): string =>
  tableOf(
    'Remarks',
    [
      { name: 'file', cell: ({ name }) => e(name) },
      { name: 'page', cell: ({ page }) => String(page), number: true },
      { name: 'remark', cell: ({ text }) => e(text) },
    ],
    files.flatMap(({ name, remarks }) => remarks.map((remark) => ({ name, ...remark }))),
    'No remarks.',
  );

const text = (value: string): string =>
  `<div class="said document">${e(value.slice(0, mostCharacters))}${value.length > mostCharacters ? '…' : ''}</div>`;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const contentOf = ({ type, name, content }: Artifact): string => {
  if (type === 'TABLE' && isObject(content) && 'schema' in content && 'elements' in content)
    return table(name ?? 'Table', content as Table);
  if (type === 'DRAWING_REVIEW' && isObject(content) && 'files' in content) return review(content as Review);
  return text(typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
};

/** An artifact as what it is: a table as a table, a review by file and page, all else as text. */
export const artifactHtml = (agentId: string, artifact: Artifact): string => {
  const links = exportFormats
    .filter((format) => exportedFrom[format] === artifact.type)
    .map((format) => ` <a href="/agents/${e(agentId)}/artifacts/${e(artifact.id)}/${format}">${format.replace(/^.*_/, '')}</a>`);
  return `<section><h3>${e(artifact.name ?? artifact.id)} <small class="quiet">version ${e(artifact.version ?? 1)}</small>${links.join('')}</h3>${contentOf(artifact)}</section>`;
};
