import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../../text/html.ts';
import { parseFence } from './fence.ts';

/** A heading of a page, by the id that links name. */
export type Heading = { level: number; text: string; id: string };

/** What the search knows of a heading and the text below it. */
export type Section = { heading: string; id: string; text: string };

export type RenderedPage = { html: string; title: string; headings: Heading[]; sections: Section[]; links: string[] };

/** The id that GitHub gives a heading, so that one link works there and here. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const ids = (): ((text: string) => string) => {
  const seen = new Map<string, number>();
  return (text) => {
    const slug = slugOf(text);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
};

const plainText = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Comments of a shell line, YAML or TypeScript, quieter than what they stand beside. */
const withComments = (text: string, language: string): string => {
  const comment = { sh: /(^|\s)(#.*)$/, yaml: /(^|\s)(#.*)$/, dockerfile: /^()(#.*)$/, ini: /^()(#.*)$/, ts: /(^|\s)(\/\/.*)$/ }[language];
  if (!comment) return escapeHtml(text);
  return text
    .split('\n')
    .map((line) => {
      const found = comment.exec(line);
      if (!found) return escapeHtml(line);
      const at = found.index + found[1]!.length;
      return `${escapeHtml(line.slice(0, at))}<i>${escapeHtml(line.slice(at))}</i>`;
    })
    .join('\n');
};

const codeBlock = ({ lang = '', text }: Tokens.Code): string => {
  const { language, file, output } = parseFence(lang);
  const caption = file === undefined ? '' : `<figcaption>${escapeHtml(file)}</figcaption>`;
  return `<figure class="code${output ? ' output' : ''}">${caption}<pre tabindex="0"><code>${withComments(text, language)}\n</code></pre></figure>\n`;
};

/** A page of Markdown as HTML. `linkTo` gives where a link leads from the site, by the path from the root that it names. */
export function renderPage(markdown: string, file: string, linkTo: (path: string, from: string) => string): RenderedPage {
  const id = ids();
  const headings: Heading[] = [];
  const links: string[] = [];
  const href = (link: string): string => {
    if (/^[a-z]+:/.test(link)) return link;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path));
    links.push(anchor === undefined ? target : `${target}#${anchor}`);
    return `${path === '' ? '' : linkTo(target, file)}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const text = plainText(html);
        const heading = { level: depth, text, id: id(text) };
        headings.push(heading);
        return `<h${depth} id="${heading.id}">${html}${depth > 1 ? `<a class="anchor" href="#${heading.id}" aria-label="Link to this section">#</a>` : ''}</h${depth}>\n`;
      },
      code: codeBlock,
      link({ href: link, tokens }) {
        return `<a href="${escapeHtml(href(link))}">${this.parser.parseInline(tokens)}</a>`;
      },
      table({ header, rows }) {
        const inline = ({ tokens }: Tokens.TableCell): string => this.parser.parseInline(tokens);
        const named = header.some(({ text }) => text !== '');
        const head = named ? `<thead><tr>${header.map((cell) => `<th>${inline(cell)}</th>`).join('')}</tr></thead>` : '';
        // Where a screen is too narrow for columns, a cell says by itself which it is.
        const cell = (of: Tokens.TableCell, column: number): string => {
          const name = header[column]?.text ?? '';
          return `<td${column > 0 && name !== '' ? ` data-column="${escapeHtml(name)}"` : ''}>${inline(of)}</td>`;
        };
        const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('');
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    },
  });
  const html = marked.parse(markdown, { async: false });
  const title = headings.find(({ level }) => level === 1)?.text;
  if (title === undefined) throw new Error(`${file} has no heading of the first level`);
  return { html, title, headings, sections: sectionsOf(html, headings), links };
}

/** Every heading with the text up to the next one. */
const sectionsOf = (html: string, headings: readonly Heading[]): Section[] => {
  const starts = headings.map(({ id }) => html.indexOf(` id="${id}"`));
  return headings.map(({ text: heading, id, level }, index) => {
    const body = html.slice(html.indexOf(`</h${level}>`, starts[index]), starts[index + 1]).replace(/<h\d$/, '');
    return { heading, id, text: plainText(body.replaceAll(/<a class="anchor".*?<\/a>/g, '')) };
  });
};
