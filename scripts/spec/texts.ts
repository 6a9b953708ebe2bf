import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../sources.mjs';
import { statementsOf, type Statement } from './statements.ts';

/** The texts that define the two APIs, by the name that the ids of their statements begin with. */
export const texts = { maps: 'docs/spec/maps-v1.txt', instance: 'docs/spec/instance-v0.txt' } as const;

/** All statements of both texts. */
export const allStatements = (): Statement[] =>
  Object.entries(texts).flatMap(([api, file]) => statementsOf(api, readFileSync(join(root, file), 'utf8')));

/** One line each: id, kind, hash and text. */
export const statementsFile = (): string =>
  `${['id\tkind\thash\ttext', ...allStatements().map(({ id, kind, hash, text }) => [id, kind, hash, text].join('\t'))].join('\n')}\n`;
