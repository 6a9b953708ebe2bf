import { escapeHtml } from '../../../text/html.ts';
import { nav, navPages, type NavPage } from './nav.ts';
import type { RenderedPage } from './markdown.ts';

/** Name of a page's file in the site: all stand in one folder, so that links need no depth. */
export const htmlName = (file: string): string =>
  file === 'docs/README.md'
    ? 'index.html'
    : `${file
        .slice(file.lastIndexOf('/') + 1)
        .replace(/\.md$/, '')
        .toLowerCase()}.html`;

const navOf = (current: string): string =>
  nav
    .map(
      ({ group, pages }) =>
        `<p>${escapeHtml(group)}</p><ul>${pages
          .map(
            ({ file, title }) =>
              `<li><a href="${htmlName(file)}"${file === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`,
          )
          .join('')}</ul>`,
    )
    .join('');

const contentsOf = ({ headings }: RenderedPage): string => {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 3) return '';
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${shown
    .map(({ id, text, level }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`)
    .join('')}</ul></nav>`;
};

const step = (page: NavPage | undefined, word: string, rel: string): string =>
  page ? `<a rel="${rel}" href="${htmlName(page.file)}"><small>${word}</small>${escapeHtml(page.title)}</a>` : '<span></span>';

const neighbours = (file: string): string => {
  const at = navPages.findIndex((page) => page.file === file);
  return `<nav class="neighbours" aria-label="Next and former page">${step(navPages[at - 1], 'Before', 'prev')}${step(navPages[at + 1], 'Next', 'next')}</nav>`;
};

/** A whole page. It loads its style, its search and nothing else, all from its own folder: a browser reads it from disk. */
export const layout = (file: string, page: RenderedPage, version: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(navPages.find((each) => each.file === file)?.what ?? 'Portolan: pages')}">
<title>${escapeHtml(page.title === 'Portolan' ? 'Portolan' : `${page.title} · Portolan`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="site.css">
<script defer src="search-index.js"></script>
<script defer src="rank.js"></script>
<script defer src="search.js"></script>
</head>
<body>
<a class="skip" href="#page">To the page</a>
<header>
<a class="brand" href="index.html">Portolan <small>${escapeHtml(version)}</small></a>
<div class="search" role="search"><input type="search" id="search" placeholder="Search (press /)" aria-label="Search the pages" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" hidden><ul id="found" role="listbox" aria-label="Found" hidden></ul></div>
</header>
<div class="columns">
<details class="menu"><summary>All pages</summary><nav aria-label="All pages">${navOf(file)}</nav></details>
<nav class="pages" aria-label="All pages">${navOf(file)}</nav>
<main id="page">
${page.html}${neighbours(file)}
</main>
${contentsOf(page)}
</div>
</body>
</html>
`;

/** The table of all pages, a group under a heading of its own; `from`: folder whose page it stands in. */
export const navMarkdown = (from: 'docs' | '.'): string =>
  nav
    .map(
      ({ group, pages }) =>
        `**${group}**\n\n${pages
          .map(({ file, title, what }) => {
            const link = from === '.' ? file : file.startsWith('docs/') ? file.slice('docs/'.length) : `../${file}`;
            return `- [${title}](${link}): ${what}\n`;
          })
          .join('')}`,
    )
    .join('\n');
