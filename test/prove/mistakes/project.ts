import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../../../cli/frame/main.ts';
import type { Finding } from '../../../pipelines/file/findings.ts';

const index = new URL('../../../index.ts', import.meta.url).href;

const words = Array.from({ length: 12 }, (_, at) => ({
  id: `w${at}`,
  word: `word ${at}`,
  kind: at % 2 ? 'animal' : 'food',
  uses: at * 3,
  gloss: `what word ${at} means`,
  day: `2024-0${1 + (at % 9)}-11`,
}));

/** The files of a project beside its pipelines: a configuration, tables and own steps of each kind. */
const files: Readonly<Record<string, string>> = {
  'portolan.config.mts': `export default {
  connections: {
    prod: { maps: { url: 'https://maps.example.com', secret: { env: 'PROD_KEY' } } },
    staging: { maps: { url: 'https://staging.example.com', secret: { env: 'STAGING_KEY' } } },
  },
  steps: ['steps/*.mts'],
};
`,
  'data/words.json': JSON.stringify(words),
  'data/films.csv':
    'Title,US Gross,Genre,Released\nUp,293004164,Animation,2009-05-29\nHeat,67436818,Crime,1995-12-15\nDune,108327830,Drama,2021-10-22\n',
  'data/prices.csv': 'sku;price;day\na1;1,50;01/02/2024\nb2;2,75;13/02/2024\n',
  'data/2024/jan.csv': 'key,amount,city\nk1,10,Oslo\nk2,20,Bergen\n',
  'data/2024/feb.csv': 'key,amount,city\nk3,30,Oslo\nk4,40,Bergen\n',
  'data/vectors.json': JSON.stringify(words.map(({ id, word }, at) => ({ id, word, _embeddings: [at, 1, 2, 3] }))),
  'steps/greet.mts': `import { defineStep, z } from '${index}';
export default defineStep({
  name: 'own.greet',
  input: z.strictObject({ names: z.array(z.string()).min(1), loud: z.boolean().default(false), times: z.int().min(1).max(9).default(1) }),
  output: z.object({ count: z.int(), greetings: z.array(z.string()), first: z.string() }),
  effect: 'idempotent',
  run: ({ names }) => ({ count: names.length, greetings: names, first: names[0]! }),
});
`,
  'steps/score.mts': `import { defineStep, z } from '${index}';
export default defineStep({
  name: 'own.score',
  input: z.strictObject({
    mode: z.enum(['fast', 'careful']),
    threshold: z.number().min(0).max(1),
    weights: z.strictObject({ text: z.number(), date: z.number().optional() }),
    since: z.iso.date().optional(),
    tags: z.record(z.string(), z.string()).optional(),
  }),
  output: z.object({ score: z.number(), passed: z.boolean(), detail: z.object({ best: z.string(), worst: z.string() }) }),
  effect: 'safe',
  run: () => ({ score: 0.5, passed: true, detail: { best: 'a', worst: 'b' } }),
});
`,
  'steps/mail.mts': `import { defineSweep, z } from '${index}';
export default defineSweep({
  name: 'own.mail',
  input: z.strictObject({ to: z.array(z.string()).min(1), subject: z.string(), perDay: z.int().min(1).optional() }),
  result: z.object({ message: z.string(), bytes: z.int() }),
  effect: 'never',
  items: ({ to }) => to.map((id) => ({ id })),
  each: ({ id }) => (id === '' ? { status: 'skipped' } : { result: { message: id, bytes: 1 } }),
});
`,
  'steps/wipe.mts': `import { defineStep, z } from '${index}';
export default defineStep({
  name: 'own.wipe',
  input: z.strictObject({ folder: z.string(), reason: z.string().min(3) }),
  output: z.object({ removed: z.int() }),
  effect: 'idempotent',
  acts: { wipe: 1 },
  run: () => ({ removed: 0 }),
});
`,
};

export type FoundFinding = Finding & { file: string };

export type Project = AsyncDisposable & {
  /** Every finding of a pipeline's text, as `portolan validate --json` gives them. */
  validate(text: string): Promise<FoundFinding[]>;
};

/** A user's project in a folder of its own. */
export async function createProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-mistakes-'));
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return {
    async validate(text) {
      await write('pipelines/one.yaml', text);
      let out = '';
      let err = '';
      const code = await main(['validate', 'pipelines/one.yaml', '--json'], {
        cwd: folder,
        stdout: { write: (part: string) => ((out += part), true) },
        stderr: { write: (part: string) => ((err += part), true) },
        tty: false,
        env: {},
      });
      if (err !== '' || ![0, 2].includes(code)) throw new Error(`validate ended ${code}: ${err}\n${text}`);
      return out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as FoundFinding);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
