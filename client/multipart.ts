import { createHash } from 'node:crypto';
import { asText } from '../text/as-text.ts';
import { RefusedRequest } from './errors.ts';

/** RFC 7578, and the escapes of the WHATWG form encoding. */
const quoted = (text: string): string => `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

type Part = { head: string; name: string; content: Blob };

function partOf(name: string, value: unknown): Part {
  const content = value instanceof Blob ? value : new Blob([asText(value)]);
  const filename = value instanceof Blob ? `; filename=${quoted(value instanceof File ? value.name : name)}` : '';
  const type = content.type === '' ? '' : `\r\ncontent-type: ${content.type}`;
  return { head: `content-disposition: form-data; name=${quoted(name)}${filename}${type}\r\n\r\n`, name, content };
}

/** A form as it goes over the wire: its body can be read once. */
export type Form = { body: AsyncIterable<Uint8Array>; bytes: number; contentType: string };

/**
 * Fields as multipart/form-data: a `Blob` is a file part, all else a text part, a list is a part for each of its members.
 * Files are read twice and never held: once for the boundary, which is made of the content, so that equal fields are equal
 * bytes; and once while they are sent. The end of the form is sent only where both were the same.
 */
export async function encodeMultipart(fields: Readonly<Record<string, unknown>>): Promise<Form> {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((member: unknown) =>
      member === undefined || member === null ? [] : [partOf(name, member)],
    ),
  );
  const digest = await digestOf(parts);
  const boundary = `portolan-${digest}`;
  const opening = ({ head }: Part): Uint8Array => Buffer.from(`--${boundary}\r\n${head}`);
  const end = Buffer.from(`--${boundary}--\r\n`);

  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    const hash = createHash('sha256');
    for (const part of parts) {
      hash.update(part.head);
      yield opening(part);
      for await (const chunk of contentOf(part)) {
        hash.update(chunk);
        yield chunk;
      }
      yield Buffer.from('\r\n');
    }
    if (hash.digest('hex') !== digest) throw new RefusedRequest('a file of the form changed while it was sent; send it again as it is');
    yield end;
  }
  return {
    body: body(),
    bytes: parts.reduce((sum, part) => sum + opening(part).byteLength + part.content.size + 2, end.byteLength),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

async function digestOf(parts: readonly Part[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part.head);
    for await (const chunk of contentOf(part)) hash.update(chunk);
  }
  return hash.digest('hex');
}

/** The bytes of a part. A file that is not what it was when it was opened cannot be read any more. */
async function* contentOf({ name, content }: Part): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = content.stream().getReader();
  for (;;) {
    const next = await chunks.read().catch((error: unknown) => {
      // A blob does not say why: who opens the file again is refused where it changed, or is gone.
      const retryable = error instanceof Error && error.name === 'NotReadableError';
      throw new RefusedRequest(`a file of the form (${name}) changed or went away before it was sent (${String(error)})`, {
        retryable,
      });
    });
    if (next.done) return;
    yield next.value;
  }
}

/** Fields as application/x-www-form-urlencoded: a list is a pair for each of its members. */
export const encodeForm = (fields: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((member: unknown) =>
        member === undefined || member === null ? [] : [[name, asText(member)] as [string, string]],
      ),
    ),
  ).toString();
