import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { root } from '../../scripts/sources.mjs';
import { documentOf, parsed } from '../service/parsing.ts';
import { arrowFile, built, createProject, createWorld, indexOrder, type World } from '../service/world.ts';
import { line, type Proof } from './proof.ts';
import { corpusFiles, corpusFolder } from './support-corpus.ts';
import { askedDocuments, corpusQuestions } from './support-corpus-questions.ts';
import { questions as ownQuestions } from './support-questions.ts';
import { random } from './support-mutate.ts';

/** Results that a person looks at. */
const first = 5;
/** The part of the questions whose page is among them, at least, with the provider that embeds by meaning. */
const least = 0.6;
const dims = 768;

/** About documents of others first, then about our own pages: all are asked of one map of both. */
const questions = [...corpusQuestions, ...ownQuestions];

/** Pages that are tables of names, written by a script: nobody asks them. */
const tables = new Set(['api-coverage', 'operations', 'assumptions']);

type Chunk = { id: string; page: string; text: string };

/** The documents of the corpus that are asked about, and as many others beside them, page by page. */
async function corpusChunks(world: World): Promise<Chunk[]> {
  const pdfs = (await corpusFiles()).filter(({ family }) => family === 'pdf');
  if (pdfs.length === 0) throw new Error(`there are no documents in ${corpusFolder}: PORTOLAN_CORPUS names another folder`);
  const isAsked = ({ origin }: { origin: string }): boolean => askedDocuments.has(basename(origin));
  const others = pdfs.filter((each) => !isAsked(each) && statSync(each.path).size < 100_000).slice(0, 60);
  const chunks: Chunk[] = [];
  for (const { path, origin } of [...pdfs.filter(isAsked), ...others]) {
    const name = basename(origin);
    const { document } = await parsed(world, { bytes: readFileSync(path), type: 'application/pdf', name });
    // Damaged ones have a verdict instead: the corpus is of files that readers have failed at.
    for (const { embed, content, page } of document?.chunks ?? [])
      if ((embed || content).trim() !== '')
        chunks.push({ id: `corpus-${chunks.length}`, page: `${name}:${page ?? 1}`, text: embed || content });
  }
  return chunks;
}

/** The pages of docs/, cut into chunks by the service as any document is. */
async function docsChunks(world: World): Promise<Chunk[]> {
  const names = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && !tables.has(name.slice(0, -3)));
  const chunks: Chunk[] = [];
  for (const name of names) {
    const { chunks: read } = await documentOf(world, { bytes: readFileSync(join(root, 'docs', name)), type: 'text/markdown', name });
    for (const [at, { embed, content }] of read.entries())
      chunks.push({ id: `${name}-${at}`, page: name.slice(0, -3), text: embed || content });
  }
  return chunks;
}

type Column = { type: Utf8 | FixedSizeList; values: unknown[] };

/** A map of the chunks, by the texts or by vectors of their own. */
async function mapOf(world: World, chunks: readonly Chunk[], vectors?: readonly (readonly number[])[]): Promise<string> {
  const { project_id } = await createProject(world, `pages ${vectors === undefined ? 'by text' : 'by vectors'}`);
  const column = (values: unknown[]): Column => ({ type: new Utf8(), values });
  const own = { _embeddings: { type: new FixedSizeList(dims, new Field('item', new Float32(), true)), values: [...(vectors ?? [])] } };
  const columns: Record<string, Column> = {
    id: column(chunks.map(({ id }) => id)),
    page: column(chunks.map(({ page }) => page)),
    text: column(chunks.map(({ text }) => text)),
    ...(vectors === undefined ? {} : own),
  };
  const added = await world.api.post('/v1/project/data/add/arrow', arrowFile({ project_id }, columns));
  if (added.status !== 200) throw new Error(`add: ${JSON.stringify(added.body)}`);
  const order = indexOrder(project_id, vectors === undefined ? {} : { indexed_field: null, model: null });
  const { body } = await world.api.post('/v1/project/index/create', order);
  if ((await built(world.api, body.job_id)) !== 'Completed') throw new Error('the map was not built');
  return body.projection_id as string;
}

/** Which questions have one of their pages among the first results. */
async function foundBy(world: World, map: string, queries: readonly (string | readonly number[])[]): Promise<boolean[]> {
  const found: boolean[] = [];
  for (const [at, query] of queries.entries()) {
    const { body } = await world.api.post('/v1/query/topk', { projection_id: map, k: first, fields: ['page'], query });
    const [, ...pages] = questions[at]!;
    found.push((body.data as { page: string }[]).some(({ page }) => pages.includes(page)));
  }
  return found;
}

const embed = async (world: World, texts: readonly string[], task_type: string): Promise<number[][]> => {
  const vectors: number[][] = [];
  for (let at = 0; at < texts.length; at += 100)
    vectors.push(...(await world.api.post('/v1/embedding/text', { texts: texts.slice(at, at + 100), task_type })).body.embeddings);
  return vectors;
};

/** The same vectors, each with another chunk. */
function shuffled<T>(values: readonly T[]): T[] {
  const pick = random(7);
  const mixed = [...values];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = pick(at + 1);
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

const count = (found: readonly boolean[]): number => found.filter(Boolean).length;

export const proof: Proof = {
  name: 'search-meaning',
  sets: ['maps'],
  what: `${questions.length} questions whose page is known, about documents of other people and about docs/, asked of one map of both: the share that is among the first ${first} results`,
  async run({ note }) {
    const texts = questions.map(([question]) => question);
    const by = async (embedding: 'semantic' | 'lexical') => {
      await using world = await createWorld({ embedding });
      const chunks = [...(await corpusChunks(world)), ...(await docsChunks(world))];
      const began = performance.now();
      const found = await foundBy(world, await mapOf(world, chunks), texts);
      note(
        `${embedding}: ${chunks.length} chunks of ${new Set(chunks.map(({ page }) => page)).size} pages, of other people’s documents and of docs/, in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
      );
      if (embedding === 'lexical') return { found, control: [] };
      const vectors = await embed(
        world,
        chunks.map(({ text }) => text),
        'search_document',
      );
      const queries = await embed(world, texts, 'search_query');
      return { found, control: await foundBy(world, await mapOf(world, chunks, shuffled(vectors)), queries) };
    };
    const semantic = await by('semantic');
    const lexical = await by('lexical');
    for (const [at, [question, ...pages]] of questions.entries())
      if (!semantic.found[at]) note(`not among the first ${first} by meaning: ${question} (${pages.join(', ')})`);
    const figure = (found: readonly boolean[]): string =>
      `${count(found)} of ${found.length} (${Math.round((100 * count(found)) / found.length)} %)`;
    const about = (found: readonly boolean[]) =>
      [
        ['documents of the corpus', found.slice(0, corpusQuestions.length)],
        ['docs/', found.slice(corpusQuestions.length)],
      ] as const;
    const byWords = about(lexical.found);
    return [
      ...about(semantic.found).flatMap(([what, found], at) => [
        line(`${what}: questions`, found.length, '≥ 30', found.length >= 30),
        line(
          `${what}: page among the first ${first}, by meaning`,
          figure(found),
          `≥ ${least * 100} %`,
          count(found) / found.length >= least,
        ),
        line(`${what}: page among the first ${first}, by words`, figure(byWords[at]![1]), 'told', true),
      ]),
      line(
        'control, the vectors of the chunks shuffled',
        figure(semantic.control),
        'less than half of what is found by meaning',
        count(semantic.control) * 2 < count(semantic.found),
      ),
    ];
  },
};
