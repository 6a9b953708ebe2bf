/** Files that `init` and `step new` write. `.mts` because such a file is a module whatever the folder's package.json says. */
export const configTemplate = `import { defineConfig } from 'portolan';

/** Where runs go and what they use. \`local\` is the service of \`portolan dev\` and needs no line here. */
export default defineConfig({
  connections: {
    // prod: {
    //   maps: { url: 'https://maps.example.com', secret: { env: 'PROD_MAPS_KEY' } },
    //   instance: { url: 'https://instance.example.com', secret: { env: 'PROD_INSTANCE_KEY' } },
    // },
  },
  steps: ['steps/*.mts'],
});
`;

/** By it an editor knows the fields of a pipeline in `pipelines/` of a project that has the package. */
export const schemaLine = '# yaml-language-server: $schema=../node_modules/portolan/docs/pipeline.schema.json';

export const helloTemplate = `${schemaLine}
# A pipeline is a mapping of steps. See the steps there are: npx portolan steps
name: hello
description: Greet a few people with a step of your own.

params:
  first: { type: string, default: Ada, description: Who is greeted first }

steps:
  hello:
    use: own.greet                # steps/greet.mts, made by: npx portolan step new greet
    with:
      names:
        - \${{ params.first }}
        - Grace
        - Katherine

outputs:
  greeted: \${{ steps.hello.count }}
`;

export const tsconfigTemplate = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
    },
    include: ['portolan.config.mts', 'steps/**/*.mts', 'pipelines/**/*.mts'],
  },
  null,
  2,
)}\n`;

export const ignoredLines = ['node_modules/', '.portolan/'] as const;

/** A step that runs as it is: replace input, output and the body of \`run\`. */
export const stepTemplate = (name: string): string => `import { defineStep, z } from 'portolan';

/** Says hello to everyone in a list. */
export default defineStep({
  name: '${name}',
  summary: 'Say hello to everyone in a list.',
  input: z.strictObject({ names: z.array(z.string()).min(1).describe('Who is greeted.') }),
  output: z.object({ count: z.int(), greetings: z.array(z.string()) }),
  // What a second sending of the same call does: safe, idempotent, reconcile or never.
  effect: 'idempotent',
  example: { names: ['Ada', 'Grace'] },
  async run({ names }, { progress, signal }) {
    const greetings: string[] = [];
    for (const name of names) {
      signal.throwIfAborted();
      greetings.push(\`Hello, \${name}!\`);
      progress({ done: greetings.length, total: names.length, unit: 'names' });
    }
    return { count: greetings.length, greetings };
  },
});
`;

/** A poll that runs as it is: replace input, output and the bodies of `start` and `check`. */
export const pollTemplate = (name: string): string => `import { definePoll, z } from 'portolan';

/** Waits for a while, as for a job of a service. */
export default definePoll({
  name: '${name}',
  summary: 'Wait for a while, as for a job of a service.',
  input: z.strictObject({ seconds: z.number().positive().describe('How long the job takes.') }),
  output: z.object({ endedAt: z.string() }),
  // What starting it twice would do: safe, idempotent, reconcile or never.
  effect: 'idempotent',
  // Longest time until it is done.
  deadlineSeconds: 3_600,
  example: { seconds: 2 },
  // What start gives, plain JSON such as the id of a job, check is called with.
  start: ({ seconds }) => ({ endsAt: Date.now() + 1_000 * seconds }),
  // Looks once; it only reads. An error here fails the step.
  check({ endsAt }, { input, waitedSeconds }) {
    if (Date.now() < endsAt) return { againSeconds: 1, progress: { done: Math.round(waitedSeconds), total: input.seconds, unit: 's' } };
    return { output: { endedAt: new Date(endsAt).toISOString() } };
  },
});
`;

/** A sweep that runs as it is: replace input, result, items and the body of `each`. */
export const sweepTemplate = (name: string): string => `import { defineSweep, z } from 'portolan';

/** Says hello to everyone in a list, one by one. */
export default defineSweep({
  name: '${name}',
  summary: 'Say hello to everyone in a list.',
  input: z.strictObject({ names: z.array(z.string()).min(1).describe('Who is greeted.') }),
  // What doing the same item twice would do: safe, idempotent, reconcile or never.
  effect: 'idempotent',
  // Usual time of one item: sizes the chunks that run beside each other and that a kill repeats at most.
  itemSeconds: 0.01,
  // Columns of the rows that items give, where they give any. Later steps read them: \${{ steps.ID.results }}
  result: z.object({ name: z.string(), greeting: z.string() }),
  example: { names: ['Ada', 'Grace'] },
  items: ({ names }) => names.map((name, id) => ({ id, name })),
  async each({ name }, { signal }) {
    signal.throwIfAborted();
    if (name === '') return { status: 'skipped', reason: 'nobody has this name' };
    // An error here makes the item failed; with retryable: true it is tried again.
    return { result: { name, greeting: \`Hello, \${name}!\` } };
  },
});
`;
