import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderPage, type Section } from '../../scripts/pages/site/markdown.ts';
import { home, nav, navPages } from '../../scripts/pages/site/nav.ts';
import { sitePages, writeSite } from '../../scripts/pages/site/site.ts';
import { root } from '../../scripts/sources.mjs';

let site: string;
beforeAll(() => {
  site = mkdtempSync(join(tmpdir(), 'portolan-site-'));
  writeSite(root, site);
});
afterAll(() => rmSync(site, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(site, name), 'utf8');
const htmlFiles = (): string[] => readdirSync(site).filter((name) => name.endsWith('.html'));

test('every page of docs/ is in the list, and every page of the list is there', () => {
  const listed = navPages.map(({ file }) => file);
  const there = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  expect(there.filter((file) => file !== home).toSorted()).toEqual(listed.filter((file) => file.startsWith('docs/')).toSorted());
  expect(listed.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  for (const { group } of nav) expect(read('index.html')).toContain(group);
});

test('every link of the site leads to a page, a heading or a file in its folder, and nothing is loaded from elsewhere', () => {
  const dead: string[] = [];
  for (const name of htmlFiles()) {
    const page = read(name);
    for (const [, to] of page.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^https?:/.test(to!)) continue;
      if (to === 'data:,') continue;
      const [file, anchor] = to!.split('#');
      const target = file === '' ? name : file!;
      if (!existsSync(join(site, target)) || (anchor !== undefined && !read(target).includes(`id="${anchor}"`)))
        dead.push(`${name}: ${to}`);
    }
    expect(page, name).not.toMatch(/(?:src|<link[^>]*href)="https?:/);
  }
  expect(dead).toEqual([]);
});

/** Whether npm puts a file into the package. */
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
const shipped = (path: string): boolean =>
  ['README.md', 'LICENSE', 'package.json', ...files].some(
    (each) =>
      each === path || path.startsWith(`${each}/`) || new RegExp(`^${each.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(path),
  );

test.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', home, ...navPages.map(({ file }) => file)])(
  'the links of %s lead to what is in the package',
  (file) => {
    const { links } = renderPage(readFileSync(join(root, file), 'utf8'), file, (path) => path);
    for (const link of links) {
      const [path, anchor] = link.split('#') as [string, string?];
      const folder = path.replace(/\/$/, '');
      expect(existsSync(join(root, folder)) && shipped(folder), link).toBe(true);
      if (anchor === undefined) continue;
      const { headings } = renderPage(readFileSync(join(root, path), 'utf8'), path, (to) => to);
      expect(
        headings.map(({ id }) => id),
        link,
      ).toContain(anchor);
    }
  },
);

test('the search finds a heading before a text, knows every page, and wants every word', () => {
  const context: {
    searchIndex?: Section[];
    searchSections?: (sections: unknown, query: string) => { section: { page: string; heading: string } }[];
  } = {};
  runInNewContext(`globalThis.globalThis = globalThis; ${read('search-index.js')} ${read('rank.js')}`, context);
  const found = (query: string): string[] =>
    context.searchSections!(context.searchIndex, query).map(({ section: { page, heading } }) => `${page} / ${heading}`);
  expect(found('dataset.append')[0]).toBe('Pipeline files / dataset.append');
  expect(found('readings')[0]).toBe('Concepts / Readings');
  expect(found('systemd unit journalctl')[0]).toMatch(/^Your own cluster/);
  expect(found('readings zebra')).toEqual([]);
  for (const { title } of sitePages(root)) expect(found(title)[0], title).toMatch(new RegExp(`^${title} / `));
});

test('a heading has the id that a link of the same text has elsewhere, a block its file, and no text becomes markup', () => {
  const { html, headings } = renderPage(
    '# A `b.c` <i>\n\n## Again\n\n## Again\n\n```sh in=project\necho "<x>" # say\n```\n\n```yaml file=a/b.yaml\na: 1\n```\n\n<script>1</script>\n',
    'docs/x.md',
    (path) => path,
  );
  expect(headings.map(({ id }) => id)).toEqual(['a-bc-i', 'again', 'again-1']);
  expect(html).toContain('echo &quot;&lt;x&gt;&quot; <i># say</i>');
  expect(html).toContain('<figcaption>a/b.yaml</figcaption>');
  expect(html).not.toMatch(/<script|<i>\s*<\/h1/);
});
