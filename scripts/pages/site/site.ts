import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { htmlName, layout } from './layout.ts';
import { renderPage, type RenderedPage } from './markdown.ts';
import { home, navPages } from './nav.ts';

/** Files that the browser loads, beside the pages. */
const assets = ['site.css', 'rank.js', 'search.js'];

export type SitePage = RenderedPage & { file: string };

const files = [home, ...navPages.map(({ file }) => file)];

/** Where a link leads within the site: to a page, or to the copy of a file that a page names. */
const linkTo = (path: string): string => (files.includes(path) ? htmlName(path) : `files/${basename(path)}`);

/** Every page of the site, rendered from the Markdown below `root`. */
export const sitePages = (root: string): SitePage[] =>
  files.map((file) => ({ file, ...renderPage(readFileSync(join(root, file), 'utf8'), file, linkTo) }));

/** Writes the pages of docs/ as a site that a browser reads from disk: HTML, one style, one script, an index to search in. */
export function writeSite(root: string, to: string): void {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const pages = sitePages(root);
  mkdirSync(join(to, 'files'), { recursive: true });
  for (const page of pages) writeFileSync(join(to, htmlName(page.file)), layout(page.file, page, version));
  for (const path of new Set(pages.flatMap(({ links }) => links.map((link) => link.split('#')[0]!)))) {
    if (!files.includes(path)) cpSync(join(root, path), join(to, 'files', basename(path)), { recursive: true });
  }
  for (const asset of assets) cpSync(join(import.meta.dirname, 'browser', asset), join(to, asset));
  // A script, because a page that is read from disk may not fetch its neighbours.
  const index = pages.flatMap(({ file, title, sections }) =>
    sections.map(({ heading, id, text }) => ({ page: title, heading, href: `${htmlName(file)}#${id}`, text })),
  );
  writeFileSync(join(to, 'search-index.js'), `globalThis.searchIndex = ${JSON.stringify(index)};\n`);
}
