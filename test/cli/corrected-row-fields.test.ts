import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { portolan } from './support.ts';

test('a column of the row is corrected at its own name, where the row is called alike', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'portolan-fields-'));
  try {
    await writeFile(join(cwd, 'notes.csv'), 'id,noted\n1,one\n');
    const file = (code: string): string => `name: p
steps:
  each:
    forEach: { rows: notes.csv, as: note }
    steps:
      read: { use: api.call, with: { operation: instance.projects.list, input: { search: "\${{ ${code} }}" } } }
`;
    await writeFile(join(cwd, 'p.yaml'), file('note.note'));
    const { out } = await portolan(['validate', 'p.yaml', '--json'], { cwd });
    const { line, corrected } = JSON.parse(out) as { line: number; corrected: string };
    expect(corrected).toBe(file('note.noted').split('\n')[line - 1]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
