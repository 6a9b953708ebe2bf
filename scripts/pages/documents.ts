import { documents } from '../../cli/json/documents.ts';

/** The schemas of docs/json/, and whose output they are. */
export const documentsTable = (): string =>
  [
    '| schema | written by |',
    '|---|---|',
    ...Object.entries(documents).map(([name, { by }]) => `| \`${name}\` | ${by.map(written).join(', ')} |`),
    '',
  ].join('\n');

const written = (by: string): string => (by === 'every command' ? by : `\`${by}\``);
