import { copyFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from '../../scripts/sources.mjs';
import { corpusFiles, corpusFolder } from './support-corpus.ts';
import { askedDocuments } from './support-corpus-questions.ts';
import { madeDocuments } from './support-documents.ts';
import type { Job } from './support-documents-job.ts';

/** Documents made by us: text, tables, scans and pictures in six languages. */
const made = 200;

/** Pages that are tables of names, written by a script: nobody asks them. */
const tables = new Set(['api-coverage.md', 'operations.md', 'assumptions.md']);

/** A folder as somebody would keep it: the PDFs of the corpus under their own names, documents made by us, and the pages of docs/. A part of it holds the asked documents all the same. */
export async function fillFolder(job: Job, part: number): Promise<{ corpus: number; made: number; docs: number }> {
  const pdfs = (await corpusFiles()).filter(({ family }) => family === 'pdf').map(({ path, origin }) => ({ path, name: basename(origin) }));
  if (pdfs.length === 0) throw new Error(`there are no documents in ${corpusFolder}: PORTOLAN_CORPUS names another folder`);
  const { asked = [], others = [] } = Object.groupBy(pdfs, ({ name }) => (askedDocuments.has(name) ? 'asked' : 'others'));
  const corpus = [...asked, ...others.slice(0, Math.round(others.length * part))];
  const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && !tables.has(name));
  const count = { corpus: corpus.length, made: Math.round(made * part), docs: docs.length };
  for await (const { name, bytes } of madeDocuments(count.made)) await job.write(name, bytes);
  for (const { path, name } of corpus) await copyFile(path, job.path(name));
  for (const name of docs) await copyFile(join(root, 'docs', name), job.path(name));
  return count;
}
