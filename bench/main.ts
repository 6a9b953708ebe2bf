import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benches } from './benches.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '5' }, list: { type: 'boolean', default: false } },
});

if (values.list) {
  for (const { name, what } of benches) process.stdout.write(`${name.padEnd(24)} ${what}\n`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
const pairs = Number(values.pairs);
if (unknown.length > 0 || !Number.isInteger(pairs) || pairs < 1) {
  process.stderr.write(
    unknown.length > 0
      ? `no bench is named ${unknown.join(', ')}; see: npm run bench -- --list\n`
      : `--pairs is ${values.pairs}; it must be a whole number from 1 on\n`,
  );
  process.exit(2);
}

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
