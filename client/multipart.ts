import { createHash } from 'node:crypto';

/** RFC 7578, and the escapes of the WHATWG form encoding. */
const quoted = (text: string): string => `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Fields as multipart/form-data: a `Blob` is a file part, all else a text part, a list is a part for each of its members.
 * The boundary is made of the content, so that equal fields are equal bytes.
 */
export async function encodeMultipart(
  fields: Readonly<Record<string, unknown>>,
): Promise<{ body: Uint8Array<ArrayBuffer>; contentType: string }> {
  const parts: { head: string; content: Uint8Array }[] = [];
  for (const [name, value] of Object.entries(fields))
    for (const member of Array.isArray(value) ? value : [value]) {
      if (member === undefined || member === null) continue;
      const file = member instanceof Blob;
      const filename = file ? `; filename=${quoted(member instanceof File ? member.name : name)}` : '';
      const type = file && member.type !== '' ? `\r\ncontent-type: ${member.type}` : '';
      parts.push({
        head: `content-disposition: form-data; name=${quoted(name)}${filename}${type}\r\n\r\n`,
        content: file ? new Uint8Array(await member.arrayBuffer()) : new TextEncoder().encode(textOf(member)),
      });
    }
  const hash = createHash('sha256');
  for (const { head, content } of parts) hash.update(head).update(content);
  const boundary = `portolan-${hash.digest('hex')}`;
  const pieces = parts.flatMap(({ head, content }) => [Buffer.from(`--${boundary}\r\n${head}`), content, Buffer.from('\r\n')]);
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Fields as application/x-www-form-urlencoded: a list is a pair for each of its members. */
export const encodeForm = (fields: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).flatMap((member: unknown) =>
        member === undefined || member === null ? [] : [[name, textOf(member)] as [string, string]],
      ),
    ),
  ).toString();
