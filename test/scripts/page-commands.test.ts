import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findVerb } from '../../cli/frame/find-verb.ts';
import { parseVerb } from '../../cli/frame/parse.ts';
import { verbs } from '../../cli/verbs/index.ts';
import { parseFence } from '../../scripts/pages/site/fence.ts';
import { root } from '../../scripts/sources.mjs';
import { blocksOf, commandsOf, pageFiles, pageText } from '../support/pages/blocks.ts';
import { missingLine } from '../support/pages/compare.ts';
import { placeNames } from '../support/pages/places.ts';

/** Words of a command line as a shell makes them, as far as pages use it. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"']+)+/g)].map(([word]) => word.replaceAll(/["']/g, ''));

/** The calls of `portolan` in a command line, with their words. */
const callsOf = (command: string): string[][] => {
  const calls = command.replaceAll(/\$\([^)]*\)/g, 'RUN').split(/&&|\|\||[|;&]/);
  return calls.flatMap((call) => {
    const words = wordsOf(call.replace(/\d?>.*$/, ''));
    const at = words.indexOf('portolan');
    const before = words.slice(0, at);
    return at >= 0 && before.every((word) => word === 'npx' || /^[A-Z_]+=/.test(word)) ? [words.slice(at + 1)] : [];
  });
};

async function parse([name, ...rest]: readonly string[]): Promise<void> {
  if (name === undefined) return;
  const verb = await findVerb(name, verbs, () => '').load();
  parseVerb(verb, rest);
}

/** Commands in running text and tables: `portolan …` between single backticks, with names in capitals for what the reader puts there. */
const inlineCommands = (markdown: string): string[] =>
  [...markdown.replaceAll(/^```[^]*?^```/gm, '').matchAll(/`((?:npx )?portolan [^`]+)`/g)].map(([, command]) => command!);

describe.each(pageFiles)('%s', (file) => {
  const blocks = blocksOf(pageText(file), file);
  const shell = blocks.filter(({ language }) => language === 'sh');

  test('every call of portolan has a verb, arguments and options that there are', async () => {
    for (const command of shell.flatMap(({ text }) => commandsOf(text)))
      for (const call of callsOf(command)) await expect(parse(call), command).resolves.toBeUndefined();
    // In a sentence a command may stand for itself, without what it is about.
    for (const command of inlineCommands(pageText(file)))
      for (const call of callsOf(command.replaceAll(/[[\]]/g, '')))
        await expect(
          parse(call).catch((error: Error) => (/ needs (?:[A-Z]+|a value .*)$/.test(error.message) ? undefined : error.message)),
          command,
        ).resolves.toBeUndefined();
  });

  test('every shell block is run somewhere: in a place, or by a proof that holds its commands', () => {
    let place: string | undefined;
    for (const block of blocks) {
      place = block.in ?? place;
      if (block.file === undefined && block.language !== 'sh') continue;
      if (block.proof === undefined) {
        expect(placeNames, `${file}:${block.line}`).toContain(place);
        continue;
      }
      const proof = readFileSync(join(root, 'test', 'prove', `${block.proof}.ts`), 'utf8');
      for (const command of commandsOf(block.text)) expect(proof, command).toContain(command);
    }
  });

  test('an output stands below the commands that print it', () => {
    for (const [index, block] of blocks.entries())
      if (block.output) expect(blocks[index - 1]?.language, `${file}:${block.line}`).toBe('sh');
  });
});

test.each(verbs.map(({ name }) => name))('the examples of %s are calls that it takes', async (name) => {
  const { examples } = await findVerb(name, verbs, () => '').load();
  for (const example of examples) {
    const calls = callsOf(example);
    expect(calls.length, example).toBeGreaterThan(0);
    for (const call of calls) await expect(parse(call), example).resolves.toBeUndefined();
  }
});

test('a code block that says what nobody knows is refused', () => {
  expect(() => parseFence('sh in=project exit=2 offline')).toThrow(/'offline'.*it may say/);
  expect(() => parseFence('sh exit')).toThrow(/'exit'/);
  expect(parseFence('sh in=ci exit=2 beside')).toEqual({ language: 'sh', in: 'ci', exit: 2, beside: true, output: false });
});

test('what a page shows is what was printed, but for times, ids and places', () => {
  const shown =
    'run films-2026-11-21-a7f3c09b done in 31 s\n…\nmap  http://127.0.0.1:7411/maps/8c1e2f00-0000-4000-8000-000000000000\n3 … left';
  const printed =
    'run films-2027-01-01-00ffee11  done in 0.4 s\nsomething\nelse\nmap http://127.0.0.1:9/maps/00000000-0000-4000-8000-000000000001\n\n3 rows are left\n';
  expect(missingLine(shown, printed)).toBeUndefined();
  expect(missingLine(shown, printed.replace('done', 'failed'))).toBe('run RUN done in TIME');
  expect(missingLine(shown, printed.replace('3 rows', '4 rows'))).toBe('3 … left');
  expect(missingLine(shown, `${printed}more`)).toMatch(/nothing further.*more/);
  expect(missingLine('…\nend', 'a\nb\nend\n')).toBeUndefined();
});
