import { queryFiles } from '../../store/columnar.ts';
import { literal } from '../../text/sql.ts';
import type { RunView } from '../../workflows/messages.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { fillFolder } from './support-asked-folder.ts';
import { createBundle } from './support-bundle.ts';
import { corpusQuestions, formQuestions } from './support-corpus-questions.ts';
import { createJob, fatesOf } from './support-documents-job.ts';
import { random } from './support-mutate.ts';
import { questions as ownQuestions } from './support-questions.ts';
import { outputOf } from './support-run.ts';

/** Results that a person looks at. */
const first = 5;
/** The part of the questions whose page is among them, at least, with the provider that embeds by meaning. */
const least = 0.6;

/** All are asked of one map. Of forms and titles, which hold few words, some in other languages than the encoder knows, no share is promised: only more than words find. */
const subjects = [
  { what: 'prose of the corpus', questions: corpusQuestions, promised: true },
  { what: 'forms, notices and titles of the corpus', questions: formQuestions, promised: false },
  { what: 'docs/', questions: ownQuestions, promised: true },
];
const questions = subjects.flatMap((subject) => subject.questions);

type Chunk = { id: string; file: string; page: number | null };

/** Where a chunk stands, as the questions name it: a page of a PDF, or a page of docs/. */
const pageOf = ({ file, page }: Chunk): string => (file.endsWith('.md') ? file.slice(0, -'.md'.length) : `${file}:${page ?? 1}`);

const chunksOf = (view: RunView): Promise<Chunk[]> =>
  queryFiles(`select id, file, page from read_parquet(${literal(outputOf(view, 'read')['chunks'])}) order by id`);

/** The first results of each question, by their ids. */
async function firstResults({ api }: World, map: string): Promise<string[][]> {
  const results: string[][] = [];
  for (const [query] of questions) {
    const answer = await api.query.topk({ projection_id: map, k: first, fields: ['id'], query });
    results.push((Array.isArray(answer) ? answer : answer.data).map(({ id }) => String(id)));
  }
  return results;
}

/** Which questions have one of their pages among the results, where those pages are the chunks'. */
function foundIn(results: readonly (readonly string[])[], ids: readonly string[], pages: readonly string[]): boolean[] {
  const page = new Map(ids.map((id, at) => [id, pages[at]!]));
  return results.map((of, at) => of.some((id) => questions[at]!.slice(1).includes(page.get(id)!)));
}

/** The same values in another order. */
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

const figure = (found: readonly boolean[]): string =>
  `${count(found)} of ${found.length} (${Math.round((100 * count(found)) / found.length)} %)`;

/** What was found, by what the questions are about. */
const about = (found: readonly boolean[]): boolean[][] =>
  subjects.map((subject) => found.filter((_, at) => subject.questions.includes(questions[at]!)));

export const proof: Proof = {
  name: 'search-meaning',
  sets: ['maps'],
  what: `a folder of PDFs of other people, of documents made by us and of docs/, put on a map by pipelines/documents.yaml, and ${questions.length} questions asked of it whose page is known: the share that is among the first ${first} results`,
  async run({ note, rounds }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path, embedding: 'semantic' });
    const job = createJob(world, 'inbox', 'semantic', { tolerate: 'failed: 10%' });
    const part = Math.min(1, rounds);
    const documents = await fillFolder(job, part);
    note(`${documents.corpus} PDFs of the corpus, ${documents.made} documents made by us, ${documents.docs} pages of docs/`);

    const by = async (embedding: 'semantic' | 'lexical') => {
      const begun = performance.now();
      const { view, calls } = await job.run(undefined, { dataset: embedding });
      const chunks = await chunksOf(view);
      const fates = Object.entries(fatesOf(view)).map((fate) => fate.join(' '));
      note(
        `${embedding}: ${chunks.length} chunks of ${new Set(chunks.map(({ file }) => file)).size} documents that hold text; ${fates.join(', ')}; ${calls['maps.documents.parse'] ?? 0} parse calls, ${Math.round((performance.now() - begun) / 1_000)} s`,
      );
      const results = await firstResults(world, outputOf(view, 'map')['id']);
      const [ids, pages] = [chunks.map(({ id }) => id), chunks.map(pageOf)];
      return {
        points: outputOf(view, 'map')['points'],
        chunks: chunks.length,
        found: foundIn(results, ids, pages),
        control: foundIn(results, ids, shuffled(pages)),
      };
    };
    const semantic = await by('semantic');
    // What was read is known to the run store: the same chunks are put on a second map.
    await world.service.kill();
    await world.service.start({ embedding: 'lexical' });
    const lexical = await by('lexical');

    for (const [at, [question, ...pages]] of questions.entries())
      if (!semantic.found[at]) note(`not among the first ${first} by meaning: ${question} (${pages.join(', ')})`);
    const [byMeaning, byWords] = [about(semantic.found), about(lexical.found)];
    return [
      line(
        'chunks on either map',
        `${semantic.points}, ${lexical.points}`,
        `all ${semantic.chunks}`,
        [semantic, lexical].every(({ points }) => points === semantic.chunks),
      ),
      line(
        'documents in one folder: PDFs of the corpus, made by us',
        `${documents.corpus}, ${documents.made}`,
        part < 1 ? 'told' : '≥ 300, ≥ 200',
        part < 1 || (documents.corpus >= 300 && documents.made >= 200),
      ),
      ...subjects.flatMap(({ what, questions: asked, promised }, at) => {
        const [meaning, words] = [byMeaning[at]!, byWords[at]!];
        const [bound, ok] = promised
          ? [`≥ ${least * 100} %`, count(meaning) / meaning.length >= least]
          : ['more than by words', count(meaning) > count(words)];
        return [
          line(`${what}: questions`, asked.length, promised ? '≥ 30' : 'told', !promised || asked.length >= 30),
          line(`${what}: page among the first ${first}, by meaning`, figure(meaning), bound, ok),
          line(`${what}: page among the first ${first}, by words`, figure(words), 'told', true),
        ];
      }),
      line(
        'control, each chunk with the page of another',
        figure(semantic.control),
        'less than half of what is found by meaning',
        count(semantic.control) * 2 < count(semantic.found),
      ),
    ];
  },
};
