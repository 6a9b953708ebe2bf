import { z } from 'zod';
import { documents, type DocumentName } from '../../cli/json/documents.ts';

/** Holds every document that a command line writes to its schema in docs/json. */
export function heldDocuments() {
  const wrong: string[] = [];
  return {
    onDocument(name: DocumentName, line: string): void {
      const { error } = documents[name].schema.safeParse(JSON.parse(line));
      if (error) wrong.push(`${name}: ${z.prettifyError(error)}\n${line}`);
    },
    /** Fails where one was not what its schema says. */
    check(): void {
      if (wrong.length > 0) throw new Error(`documents are not what docs/json says:\n${wrong.join('\n')}`);
    },
  };
}
