import { z } from 'zod';
import { configSchema } from '../../config/schema.ts';
import type { Schema } from '../../text/json-schema.ts';
import { fieldRows, rowsTable, typeText } from './fields.ts';
import { generated, table } from './markdown.ts';

/** Fields of fields that get a table of their own, by how they are written in the file. */
type Part = { name: string; schema: Schema };

/** An object that has fields of its own, or names each of which holds one. */
const partOf = (name: string, schema: Schema): Part | undefined => {
  if (schema.properties) return { name, schema };
  const { additionalProperties: inner } = schema;
  return typeof inner === 'object' && inner.properties ? { name: `${name}.NAME`, schema: inner } : undefined;
};

/** A part and the parts in it, the outer first. */
const partsOf = (part: Part): Part[] => [
  part,
  ...Object.entries(part.schema.properties ?? {}).flatMap(([name, schema]) => {
    const inner = partOf(`${part.name}.${name}`, schema);
    return inner ? partsOf(inner) : [];
  }),
];

const anchor = (name: string): string => `[fields](#${name.toLowerCase().replaceAll('.', '')})`;

/** Of parts that are the same but for their names, the first. */
const sameAs = (parts: readonly Part[], part: Part): Part =>
  parts.find(({ schema }) => JSON.stringify(schema) === JSON.stringify(part.schema)) ?? part;

const tableOf = ({ name, schema }: Part, parts: readonly Part[]): string =>
  rowsTable(
    fieldRows(schema, 'input', (field, key) => {
      const inner = partOf(`${name}.${key}`, field);
      return inner ? anchor(sameAs(parts, inner).name) : typeText(field, {});
    }),
    'input',
  );

const environment = [
  [
    '`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, `TEMPORAL_TLS*`',
    'The Temporal cluster; goes before `temporal.toml`, which goes before `temporal` of the file.',
  ],
  ['`PORTOLAN_USER`', 'Who acts, where a command names nobody with `--as`; default user@host.'],
  ['`PORTOLAN_DEBUG`', 'Set: errors of the command line come with their stack.'],
  ['`XDG_STATE_HOME`', 'Where all projects of a user keep which limits are closed: `portolan/closed` in it. Default `~/.local/state`.'],
  [
    '`XDG_CACHE_HOME`',
    'Where compiled code is kept for the next command: `portolan` in it. Default `~/.cache`; `NODE_COMPILE_CACHE` goes before it.',
  ],
  ['`NO_COLOR`, `FORCE_COLOR`', 'Colour on the terminal: never, always. Default: where the output is a terminal.'],
];

const example = `export default defineConfig({
  connections: {
    prod: {
      maps: { url: 'https://maps.example.com', secret: { env: 'PROD_MAPS_KEY' }, organization: 'acme' },
      instance: { url: 'https://instance.example.com', secret: { file: 'secrets/instance' } },
    },
  },
  connection: 'prod',
  secrets: { acme: { env: 'ACME_KEY' } },
  limits: { 'https://api.acme.com': { count: 60, seconds: 60 } },
  retention: { runs: '30d', shards: '7d', most: '20GB' },
});
`;

/** docs/configuration.md: every field of portolan.config.mts, from the schema that checks it. */
export const configurationPage = (): string => {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const [whole, ...parts] = partsOf({ name: '', schema });
  const different = parts.filter((part) => sameAs(parts, part) === part);
  return [
    generated('config/schema.ts'),
    '# Configuration\n\n`portolan.config.mts` is looked for in the folder of the command and above it, up to the root of the repository, the home folder, or a folder of another owner. Paths in it are relative to it. Without one all defaults stand. `portolan init` writes one, `portolan doctor` checks it, and a running `portolan dev` reads it again when it changes. A secret never stands in it: only the name of an environment variable, or of a file that its owner alone can read.\n\n',
    `\`\`\`ts file=portolan.config.mts in=scratch\nimport { defineConfig } from 'portolan';\n\n${example}\`\`\`\n\n`,
    "The name `local` is always there: the service of `portolan dev`. `connection: 'local'` spares every `--connection local`; take it out before anything real is named.\n\n## Fields\n\n",
    tableOf(whole!, parts),
    ...different.map((part) => {
      const { description } = part.schema;
      return `\n### ${part.name.slice(1)}\n\n${description ? `${description}\n\n` : ''}${tableOf(part, parts)}`;
    }),
    '\n## Environment\n\n',
    table(['variable', 'what it does'], environment),
  ].join('');
};
