import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commandsOf, type Block } from './blocks.ts';
import { missingLine } from './compare.ts';
import type { Place } from './places.ts';

/** What came of a shell block: undefined where all was as the page says. */
export type BlockOutcome = { line: number; commands: string[]; seconds: number; printed: string; trouble?: string };

type Ended = { code: number; printed: string };

/** Longest that a block may take: ends what hangs, and proves nothing. */
const hangsMs = 300_000;

const start = (script: string, { dir, env }: Place) =>
  spawn('bash', ['-ec', script], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });

async function ended(script: string, place: Place): Promise<Ended> {
  const child = start(script, place);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), hangsMs);
  // Its output may stay open: a process that it left running in the background holds it.
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  await new Promise((resolve) => setImmediate(resolve));
  child.stdout.destroy();
  child.stderr.destroy();
  return { code: code ?? 137, printed };
}

/** A command that runs beside the others: begun once it has printed a line, ended by SIGTERM, with its exit code. */
async function beside(
  script: string,
  before: readonly string[],
  place: Place,
): Promise<{ trouble?: string; end(): Promise<string | undefined> }> {
  // npx would end by the signal itself, and the command's own exit code would be lost.
  const child = start(place.words([...before, `exec ${script.replace(/^npx /, 'node_modules/.bin/')}`].join('\n')), place);
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const first = once(child.stdout.setEncoding('utf8'), 'data');
  const begun = await Promise.race([first.then(() => true), exit.then(() => false)]);
  if (!begun) return { trouble: `ended before it said anything: ${printed}`, end: async () => undefined };
  child.stdout.resume();
  return {
    async end() {
      child.kill('SIGTERM');
      const [code] = await exit;
      return code === 0 ? undefined : `ended with ${code} on SIGTERM: ${printed}`;
    },
  };
}

/** Environment and folder last as long as a reader's terminal. */
const lasting = (commands: readonly string[]): string[] => commands.filter((command) => /^(export|cd) /.test(command));

/**
 * Does what a page says, from its first block to its last: files are written, commands run in order, and what they print is
 * compared with what the page shows. `open` gives the place that a block names by `in=`. Ends at the first trouble of a place.
 */
export async function runPage(blocks: readonly Block[], open: (name: string) => Promise<Place>): Promise<BlockOutcome[]> {
  const outcomes: BlockOutcome[] = [];
  const running: (() => Promise<void>)[] = [];
  const terminals = new Map<string, string[]>();
  let name = 'none';
  for (const [index, block] of blocks.entries()) {
    if (block.in !== undefined) name = block.in;
    if (block.proof !== undefined || (block.file === undefined && block.language !== 'sh')) continue;
    const place = await open(name);
    if (block.file !== undefined) {
      await writeBlock(join(place.dir, block.file), place.words(block.text));
      continue;
    }
    const commands = commandsOf(block.text);
    const before = terminals.get(name) ?? [];
    terminals.set(name, [...before, ...lasting(commands)]);
    const script = place.words([...before, block.text].join('\n'));
    const started = performance.now();
    const outcome = { line: block.line, commands };
    const seconds = (): number => (performance.now() - started) / 1_000;
    if (block.beside) {
      const { trouble, end } = await beside(commands.join('\n'), before, place);
      const said: BlockOutcome = { ...outcome, seconds: seconds(), printed: '', ...(trouble !== undefined && { trouble }) };
      outcomes.push(said);
      running.push(async () => {
        const late = await end();
        if (late !== undefined) said.trouble ??= late;
      });
      continue;
    }
    const { code, printed } = await ended(script, place);
    const next = blocks[index + 1];
    const shown = next?.output ? missingLine(place.words(next.text), printed) : undefined;
    const trouble =
      code !== block.exit
        ? `exit ${code}, not ${block.exit}:\n${printed.slice(-2_000)}`
        : shown === undefined
          ? undefined
          : `does not print: ${shown}\n${printed.slice(-4_000)}`;
    outcomes.push({ ...outcome, seconds: seconds(), printed, ...(trouble !== undefined && { trouble }) });
    if (trouble !== undefined) break;
  }
  for (const end of running.toReversed()) await end();
  return outcomes;
}

async function writeBlock(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${text}\n`);
  if (text.startsWith('#!')) await chmod(path, 0o755);
}
