import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const entry = (name: string): string => fileURLToPath(new URL(`${name}.ts`, import.meta.url));

const start = (name: string, input: unknown): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry(name), JSON.stringify(input)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** Runs a script of this folder as a process of its own and returns the message that it sends before it ends. */
export function runScript<T>(name: string, input: unknown): Promise<T> {
  const child = start(name, input);
  return new Promise<T>((resolve, reject) => {
    let answer: { value: T } | undefined;
    child.once('message', (value) => (answer = { value: value as T }));
    child.once('error', reject);
    // Its message has been read when its channel is closed too.
    child.once('close', (code, signal) =>
      answer ? resolve(answer.value) : reject(new Error(`bench/${name}.ts ended without an answer (${signal ?? `exit ${code}`})`)),
    );
  });
}

/** A script of this folder that serves until it is disposed of; its first message says how it is reached. */
export async function startServer<T>(name: string, input: unknown): Promise<T & { pid: number } & AsyncDisposable> {
  const child = start(name, input);
  const ready = await new Promise<T>((resolve, reject) => {
    child.once('message', (value) => resolve(value as T));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`bench/${name}.ts ended before it was ready (${signal ?? `exit ${code}`})`)));
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    ...ready,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What a script of this folder was started with. */
export const scriptInput = <T>(): T => JSON.parse(process.argv[2] ?? 'null') as T;

/** Reports to the bench how it went and ends. */
export const answer = (value: unknown): void => void process.send!(value, () => process.exit(0));

/** Seconds of processor time of a process so far, all its threads and none of its children. Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
