import pLimit from 'p-limit';
import { commandOptions, refuse } from '../../scripts/command-options.ts';
import { keptRounds } from './kept-rounds.ts';
import { proofSets, type Line, type Proof } from './proof.ts';
import { proofs } from './proofs.ts';

const usage = `npm run prove -- [NAME…] [--set SET] [--rounds N] [--resume] [--only WORDS] [--all-tests] [--json] [--list]

Without a name and a set: the set short, the part of each proof that a gate has time for. A proof that is named has its whole size.

  --set SET      the proofs of a set: ${proofSets.join(', ')}
  --rounds N     a whole number from 1 on, instead of the rounds that each has
  --resume       what was shown before counts
  --only WORDS   cases that hold these words, of a proof of many cases
  --all-tests    mutants: after the tests that a row names, all of them
  --json         the outcome as one line before the last
  --list         the proofs, or those of a set, and what they show

Examples: npm run prove -- agent-exports
          npm run prove -- --set agents
          npm run prove -- mutants --only "service/engine"
`;
const { values, positionals } = commandOptions(
  {
    set: { type: 'string' },
    rounds: { type: 'string' },
    resume: { type: 'boolean', default: false },
    only: { type: 'string' },
    'all-tests': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  usage,
);

const unknown = positionals.filter((name) => !proofs.some((proof) => proof.name === name));
if (unknown.length > 0) refuse(`no proof is named ${unknown.join(', ')}; see: npm run prove -- --list`, usage);
if (values.set !== undefined && !(proofSets as readonly string[]).includes(values.set)) refuse(`no set is named ${values.set}`, usage);
if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) refuse(`--rounds is ${values.rounds}`, usage);
if (values.list) {
  const listed = proofs.filter(({ sets }) => values.set === undefined || (sets as readonly string[]).includes(values.set));
  for (const proof of listed) process.stdout.write(`${proof.name.padEnd(24)} ${proof.sets.join(', ').padEnd(14)} ${proof.what}\n`);
  process.exit(0);
}
const chosen = proofs.filter((proof) =>
  positionals.length > 0 ? positionals.includes(proof.name) : (proof.sets as readonly string[]).includes(values.set ?? 'short'),
);

const short = values.set === 'short' || (values.set === undefined && positionals.length === 0);

/** Proofs mostly wait, so that the gate has time for two at once; what one says is printed as a whole then, when it has ended. */
const atOnce = short ? 2 : 1;
const write = (text: string): void => void process.stdout.write(text);
const outcome = await pLimit(atOnce).map(chosen, async (proof) => {
  const said: string[] = [];
  const say = atOnce === 1 ? write : (text: string) => void said.push(text);
  say(`${proof.name}: ${proof.what}\n`);
  const started = performance.now();
  const lines = await attempt(proof, say);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  for (const { what, figure, bound, ok } of lines) say(`  ${ok ? '✓' : '✗'} ${what}: ${figure}${bound ? `  (${bound})` : ''}\n`);
  say(`  ${seconds} s\n`);
  write(said.join(''));
  return { proof: proof.name, lines, seconds };
});
const all = outcome.flatMap(({ lines }) => lines);
const failed = all.filter(({ ok }) => !ok).length;
if (values.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
process.stdout.write(`${all.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 && all.length > 0 ? 0 : 1);

async function attempt(proof: Proof, say: (text: string) => void): Promise<Line[]> {
  try {
    return await proof.run({
      rounds: values.rounds === undefined ? (short ? 1 : (proof.rounds ?? 1)) : Number(values.rounds),
      short,
      resume: values.resume,
      kept: await keptRounds(proof.name, { resume: values.resume, anySources: proof.anySources ?? false }),
      allTests: values['all-tests'],
      ...(values.only === undefined ? {} : { only: values.only }),
      note: (text) => say(`  · ${text}\n`),
    });
  } catch (error) {
    return [
      {
        what: 'could be carried out',
        figure: messageOf(error),
        bound: '',
        ok: false,
      },
    ];
  }
}

/** What failed first stands first: the end of a stack may complain too, and would hide it. */
function messageOf(error: unknown): string {
  if (error instanceof SuppressedError) return `${messageOf(error.suppressed)} | and then: ${messageOf(error.error)}`;
  return error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' | ') : String(error);
}
