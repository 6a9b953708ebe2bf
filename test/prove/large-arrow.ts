import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTables } from '../../child/host/create-tables.ts';
import { childLimits } from '../../child/child-limits.ts';
import { BadInput } from '../../errors/classes.ts';
import type { ArrowFileRequest, Tables } from '../../child/tables.ts';
import { writeArrowRows } from '../support/arrow-rows.ts';
import { line, type Line, type Proof } from './proof.ts';

const MiB = 1024 * 1024;

/** 1 GiB of short rows in record batches of 17 MiB, and of long ones in batches of 128 MiB. */
const shapes = [
  { rows: 1_000_000, textBytes: 1_040 },
  { rows: 131_072, textBytes: 8_160 },
];

/** With this much the same file cannot be converted. */
const littleMb = 300;

export const proof: Proof = {
  name: 'large-arrow',
  sets: ['fire'],
  what: 'Arrow files of 1 GiB, opened twice and converted twice by one child, stay within the memory that a child may take',
  async run({ note, rounds }) {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-large-'));
    const source = join(folder, 'rows.arrow');
    const lines: Line[] = [];
    try {
      for (const shape of shapes) {
        await writeArrowRows(source, shape);
        await using tables = opened(createTables());
        const size = `${((await stat(source)).size / MiB).toFixed(0)} MiB in ${shape.rows.toLocaleString('en-US')} rows`;
        for (let at = 0; at < 2 * rounds; at++) {
          const started = performance.now();
          const { rows } = await tables.inspect(source);
          const inspected = performance.now();
          const { sent, print } = await tables.arrowFile(request(source, folder));
          const seconds = (from: number, to: number): string => ((to - from) / 1_000).toFixed(1);
          const took = `${rows} and ${sent} rows, ${(print.bytes / MiB).toFixed(0)} MiB; ${seconds(started, inspected)} s and ${seconds(inspected, performance.now())} s`;
          note(`${size}: ${took}`);
          lines.push(
            line(`${size}: opened, then converted`, took, `all rows, ≤ ${childLimits.memoryMb} MiB`, rows === shape.rows && sent === rows),
          );
        }
      }
      await using little = opened(createTables({ memoryMb: littleMb }));
      const verdict = await little.arrowFile(request(source, folder)).then(
        () => 'converted',
        (error: unknown) => (error instanceof BadInput ? error.verdict : String(error)),
      );
      lines.push(line(`control, the last one with ${littleMb} MiB`, verdict, 'too_large', verdict === 'too_large'));
      return lines;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const opened = (tables: Tables & { close(): Promise<void> }) => Object.assign(tables, { [Symbol.asyncDispose]: () => tables.close() });

/** Chosen columns: the file cannot go as it is. */
const request = (source: string, folder: string): ArrowFileRequest => ({
  source,
  into: join(folder, 'converted'),
  projectId: 'project',
  idField: 'id',
  id: { column: 'id' },
  columns: { id: 'id', n: 'n', text: 'text' },
  maxRows: 65_536,
  maxBytes: 16_000_000,
  empty: true,
});
