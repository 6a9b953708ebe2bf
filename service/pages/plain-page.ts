import { escapeHtml as e } from '../../text/html.ts';
import { htmlAnswer, type Document } from './html.ts';

/** Where every page leads. */
const places = {
  '/': 'Datasets',
  '/organizations': 'Organizations',
  '/agents': 'Agents',
  '/workflows': 'Workflows',
  '/projects': 'Projects',
  '/files': 'Files',
  '/budgets': 'Budgets',
  '/schedules': 'Schedules',
  '/journal': 'Journal',
} as const;

export type Place = keyof typeof places;

/** The way to all pages. */
export const placesNav = (at?: Place): string =>
  `<nav class="places" aria-label="Pages">${Object.entries(places)
    .map(([path, name]) => `<a href="${path}"${path === at ? ' aria-current="page"' : ''}>${name}</a>`)
    .join('')}</nav>`;

/** A page of text and tables, with the way to the others. `at`: the place that it belongs to. */
export const plainPage = ({ at, body, ...rest }: Document & { at?: Place }): Response =>
  htmlAnswer({ ...rest, body: `${placesNav(at)}<main class="plain">${body}</main>` });

/** Finds among what a place lists; the answer is the same page with `q`. */
export const findForm = (path: Place, label: string, query: string): string =>
  `<form class="find" method="get" action="${path}" role="search"><label for="q">${e(label)}</label><div class="row"><input id="q" name="q" type="search" value="${e(query)}"><button>Find</button></div></form>`;

export type Column<T> = {
  name: string;
  /** HTML of the cell; `escapeHtml` what comes from outside. */
  cell: (row: T) => string;
  /** A number: digits stand below each other. */
  number?: true;
};

/** A table that scrolls by itself where the page is narrow; `none` where it has no rows. */
export const tableOf = <T>(label: string, columns: readonly Column<T>[], rows: readonly T[], none: string): string =>
  rows.length === 0
    ? `<p class="quiet">${e(none)}</p>`
    : `<div class="scroll" tabindex="0" role="region" aria-label="${e(label)}"><table><thead><tr>${columns.map(({ name }) => `<th scope="col">${e(name)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${columns.map(({ cell, number }) => `<td${number ? ' class="n"' : ''}>${cell(row)}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`;

/** `2026-11-21 12:04 UTC` on one line, of an ISO time or epoch milliseconds; a dash where there is none. */
export const minute = (at: string | number | null): string =>
  at === null ? '–' : `${new Date(at).toISOString().slice(0, 16).replace('T', '\u00a0')}\u00a0UTC`;

/** The way to the next page of a list; nothing behind its last one. */
export const nextPage = (path: string, query: Readonly<Record<string, string>>, cursor: string | null | undefined): string => {
  if (!cursor) return '';
  const fields = new URLSearchParams([...Object.entries(query).filter(([, value]) => value !== ''), ['cursor', cursor]]);
  return `<p><a rel="next" href="${e(`${path}?${fields.toString()}`)}">Next page</a></p>`;
};
