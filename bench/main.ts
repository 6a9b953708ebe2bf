import { cpus, totalmem } from 'node:os';
import { commandOptions, refuse } from '../scripts/command-options.ts';
import { benches } from './benches.ts';

const usage = `npm run bench -- [NAME…] [--pairs N] [--list]

Without a name: all of them. The last line is one JSON object with every figure.

  --pairs N   measurements of each kind, turn by turn: a whole number from 1 on; default 5
  --list      the benches, with what they compare
`;
const { values, positionals } = commandOptions(
  { pairs: { type: 'string', default: '5' }, list: { type: 'boolean', default: false } },
  usage,
);

if (values.list) {
  for (const { name, what } of benches) process.stdout.write(`${name.padEnd(24)} ${what}\n`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
const pairs = Number(values.pairs);
if (unknown.length > 0) refuse(`no bench is named ${unknown.join(', ')}; see: npm run bench -- --list`, usage);
if (!Number.isInteger(pairs) || pairs < 1) refuse(`--pairs is ${values.pairs}`, usage);

const results: Record<string, Record<string, number>> = {};
let missed = 0;
for (const bench of benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  process.stdout.write(`${bench.name}: ${bench.what}\n`);
  const started = performance.now();
  const { lines, figures } = await bench.run({ pairs, note: (text) => process.stdout.write(`  · ${text}\n`) });
  for (const { what, figure, bound, ok } of lines) {
    if (!ok) missed += 1;
    process.stdout.write(`  ${ok ? '✓' : '✗'} ${what}: ${figure}${bound ? `  (${bound})` : ''}\n`);
  }
  process.stdout.write(`  ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
  results[bench.name] = figures;
}
const machine = { cores: cpus().length, model: cpus()[0]?.model ?? '', memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version };
process.stdout.write(`${JSON.stringify({ machine, pairs, missed, results })}\n`);
process.exit(missed === 0 ? 0 : 1);
