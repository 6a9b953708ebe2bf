import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes a user who may read everything, prints the key, and has every request checked from then on. */
const checked = String.raw`
import boto3, json, sys, urllib.request
url = sys.argv[1]
of = dict(endpoint_url=url, aws_access_key_id="any", aws_secret_access_key="any", region_name="us-east-1")
iam = boto3.client("iam", **of)
iam.create_user(UserName="reader")
iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}))
key = iam.create_access_key(UserName="reader")["AccessKey"]
urllib.request.urlopen(urllib.request.Request(url + "/moto-api/reset-auth", data=b"0", method="POST", headers={"content-type": "text/plain"})).read()
print(json.dumps({"id": key["AccessKeyId"], "key": key["SecretAccessKey"]}))
`;

/** Until requests are checked, whoever says who it is is believed. */
const anybody = 'AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => void server.close(closed));
  return port;
}

/** An S3 server that is not ours: moto, in an environment of its own below `folder`. Fails where it cannot be installed. */
export async function startMoto(folder: string) {
  const environment = join(folder, 'moto');
  await run('python3', ['-m', 'venv', environment]);
  const python = join(environment, 'bin', 'python');
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'moto[server,s3,iam]'], { timeout: 900_000 });
  const port = await freePort();
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((ready, failed) => {
    lines.on('line', (text) => text.includes('Running on') && ready());
    child.once('exit', (code) => failed(new Error(`moto ended with ${code}`)));
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const put = async (path: string, body?: Uint8Array<ArrayBuffer>): Promise<void> => {
    const { status } = await fetch(`${endpoint}/${path}`, { method: 'PUT', headers: { authorization: anybody }, ...(body && { body }) });
    if (status !== 200) throw new Error(`PUT ${path}: ${status}`);
  };
  await put('acme');
  const { stdout: version } = await run(python, ['-c', 'import moto; print(moto.__version__)']);
  return {
    endpoint,
    version: version.trim(),
    put: (key: string, bytes: Uint8Array<ArrayBuffer>) => put(`acme/${key}`, bytes),
    /** From now on every request must be signed by the key that is returned. */
    async check(): Promise<{ id: string; key: string }> {
      const { stdout } = await run(python, ['-c', checked, endpoint]);
      return JSON.parse(stdout) as { id: string; key: string };
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
