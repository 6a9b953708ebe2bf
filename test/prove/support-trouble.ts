const api = new URL('../../index.ts', import.meta.url).href;

/** What can go wrong in a file of a user's own. The line that `why`, or `validate`, must name is marked. */
export type Trouble = {
  what: string;
  /** The files of the step by their path; `steps/NAME.mts` is the step's. */
  files: Record<string, string>;
  /** Found when the file is read: `validate` says so, and nothing runs. */
  unreadable?: true;
};

export const mark = '// here';

const imports = `import { defineStep, defineSweep, z } from ${JSON.stringify(api)};`;

const step = (
  name: string,
  lines: string[],
  { output = 'z.object({ n: z.int() })', above = '', run = '' } = {},
): Record<string, string> => ({
  [`steps/${name}.mts`]: `${imports}
${above}
type Row = { amount: number };
export default defineStep({
  name: 'own.${name}',
  input: z.strictObject({ url: z.string() }),
  output: ${output},
  effect: 'idempotent',
  attemptSeconds: 3,
  async run({ url }: { url: string }, context) {${run}
    const rows: Row[] = [];
    ${lines.join('\n    ')}
  },
});
`,
});

const sweep = (name: string, items: string): Record<string, string> => ({
  [`steps/${name}.mts`]: `${imports}
export default defineSweep({
  name: 'own.${name}',
  input: z.strictObject({ url: z.string() }),
  effect: 'idempotent',
  ${items}
  async each(item) {
    if (item === '') return { status: 'skipped' };
  },
});
`,
});

/** A step whose trouble is in a file that it imports. */
const helped = (name: string, call: string, helper: string): Record<string, string> => ({
  ...step(name, [call, 'return { n: 1 };'], { above: `import { help } from '../lib/${name}.mts';` }),
  [`lib/${name}.mts`]: helper,
});

/** The twelve kinds, some by more than one case. `name` is the step's: `own.NAME`. */
export const troubles: Record<string, Trouble> = {
  thrown: {
    what: 'an error',
    files: step('thrown', [`if (rows.length === 0) throw new Error(\`nothing at \${url}\`); ${mark}`, 'return { n: 1 };']),
  },
  rejected: {
    what: 'a promise that nobody awaits',
    files: helped(
      'rejected',
      'void help(); await new Promise((resolve) => setTimeout(resolve, 200));',
      `export const help = async (): Promise<void> => {\n  throw new Error('nobody waits'); ${mark}\n};\n`,
    ),
  },
  helper: {
    what: 'a TypeError in a helper file',
    files: helped(
      'helper',
      'help({});',
      `export type Row = { cost?: { amount: number } };\nexport const help = (row: Row): number =>\n  row.cost!.amount; ${mark}\n`,
    ),
  },
  output: { what: 'an output that does not fit', files: step('output', ["return { n: 'one' } as never;"], { run: ` ${mark}` }) },
  syntax: { what: 'a syntax error', unreadable: true, files: step('syntax', [`const n: number = ; ${mark}`, 'return { n };']) },
  missing: {
    what: 'an import that is not exported',
    unreadable: true,
    files: {
      ...step('missing', ['return { n: help() };'], { above: `import { help } from '../lib/missing.mts'; ${mark}` }),
      'lib/missing.mts': 'export const other = (): number => 1;\n',
    },
  },
  unexported: {
    what: 'no default export',
    unreadable: true,
    files: {
      'steps/unexported.mts': `${imports}\nexport const step = defineStep({ ${mark}\n  name: 'own.unexported', input: z.object({}), output: z.object({}), effect: 'safe', run: () => ({}) });\n`,
    },
  },
  exit: { what: 'process.exit', files: step('exit', [`if (rows.length === 0) process.exit(4); ${mark}`, 'return { n: 1 };']) },
  exits: {
    what: 'process.exit at the top of the file',
    unreadable: true,
    files: step('exits', ['return { n: 1 };'], { above: `if (process.pid > 0) process.exit(4); ${mark}` }),
  },
  loop: { what: 'a loop without end', files: helped('loop', 'help();', `export const help = (): void => {\n  for (;;); ${mark}\n};\n`) },
  memory: {
    what: 'too much memory',
    files: helped(
      'memory',
      'help();',
      `const held: string[][] = [];\nexport const help = (): void => {\n  for (;;)\n    held.push(Array.from({ length: 1_000_000 }, () => 'x')); ${mark}\n};\n`,
    ),
  },
  json: {
    what: 'an answer that is no JSON',
    files: step('json', ['const reply = await context.fetch(url);', `const { n } = await reply.json(); ${mark}`, 'return { n };']),
  },
  items: { what: 'items that are no list', files: sweep('items', `items: ({ url }) => ({ [url]: 1 }) as never, ${mark}`) },
  item: {
    what: 'an item that is no JSON',
    files: sweep('item', `*items() { ${mark}\n    yield 'one';\n    yield 2n;\n  },`),
  },
  secret: {
    what: 'a secret in the output',
    files: step('secret', ["return { key: await context.secret('acme') };"], { output: 'z.object({ key: z.string() })', run: ` ${mark}` }),
  },
};

/** The control: an error without the stack that leads to its line. */
export const stackless = step('stackless', [`throw Object.assign(new Error('nothing'), { stack: '' }); ${mark}`, 'return { n: 1 };']);

/** The file and line that are to be named, as `why` writes them: from the folder of the project. */
export function placeOfTrouble({ files }: Trouble): string {
  for (const [path, text] of Object.entries(files)) {
    const at = text.split('\n').findIndex((line) => line.includes(mark));
    if (at >= 0) return `${path}:${at + 1}`;
  }
  throw new Error('no line is marked');
}
