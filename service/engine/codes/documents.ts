import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** What stands between the lines `---` at the head of a document. */
const head = z.strictObject({
  title: z.string(),
  code: z.string(),
  jurisdiction: z.string(),
  adopted: z.string().optional(),
  amendments: z.array(z.string()).default([]),
});

/** One section of a document: what a search finds and cites. */
export type Passage = { citationId: string; page: number; text: string };

export type CodeDocument = {
  id: string;
  versionId: string;
  name: string;
  jurisdiction: string;
  codeType: string;
  year: number;
  head: z.output<typeof head>;
  passages: Passage[];
};

/** A UUID of content: the same document has the same ids at every start. */
const idOf = (content: string): string =>
  createHash('sha256')
    .update(content)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');

const place = /^([^/]+)\/([^/]+)\/(\d{4})\.md$/;

/** `## 1004.5 Title` begins a passage, `<!-- page 12 -->` a page. */
const passagesOf = (text: string): Passage[] => {
  const passages: Passage[] = [];
  let page = 1;
  for (const line of text.split('\n')) {
    const [, number] = /^<!-- page (\d+) -->$/.exec(line) ?? [];
    const [, citationId, title] = /^## (\S+) (.+)$/.exec(line) ?? [];
    if (number !== undefined) page = Number(number);
    else if (citationId !== undefined) passages.push({ citationId, page, text: title! });
    else if (line.trim() !== '' && passages.length > 0) passages.at(-1)!.text += `\n${line.trim()}`;
  }
  return passages;
};

const readDocument = (folder: string, path: string): CodeDocument => {
  const [, jurisdiction, codeType, year] = place.exec(path)!;
  const content = readFileSync(join(folder, path), 'utf8');
  const [, front = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(content) ?? [];
  const parsed = head.safeParse(parse(front));
  if (!parsed.success)
    throw new Error(`${join(folder, path)}: its head is not what a document of codes has: ${z.prettifyError(parsed.error)}`);
  return {
    id: idOf(path),
    versionId: idOf(content),
    name: path.replaceAll('/', ' '),
    jurisdiction: jurisdiction!,
    codeType: codeType!,
    year: Number(year),
    head: parsed.data,
    passages: passagesOf(text),
  };
};

/** The documents of a folder: `JURISDICTION/CODE TYPE/YEAR.md`. */
export const readDocuments = (folder: string): CodeDocument[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .filter((path) => place.test(path))
        .toSorted()
        .map((path) => readDocument(folder, path))
    : [];
