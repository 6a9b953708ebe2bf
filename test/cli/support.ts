import { main, type MainOptions } from '../../cli/frame/main.ts';
import { heldDocuments } from '../support/held-documents.ts';

/** Runs a command line in process and keeps what it wrote. */
export const portolan = async (argv: readonly string[], options: MainOptions = {}): Promise<{ code: number; out: string; err: string }> => {
  let out = '';
  let err = '';
  const held = heldDocuments();
  const code = await main(argv, {
    stdout: { write: (text: string) => ((out += text), true) },
    stderr: { write: (text: string) => ((err += text), true) },
    tty: false,
    columns: 100,
    env: {},
    onDocument: held.onDocument,
    ...options,
  });
  held.check();
  return { code, out, err };
};
