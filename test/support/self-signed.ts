import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const request = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(' ');

/** Makes a key and a certificate of `localhost` that signs itself, and returns the paths of both. */
export async function selfSigned(folder: string): Promise<{ key: string; certificate: string }> {
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')] as const;
  await promisify(execFile)('openssl', [...request, '-keyout', key, '-out', certificate]);
  return { key, certificate };
}
