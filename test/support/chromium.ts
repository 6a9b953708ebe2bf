import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The browser of this machine; undefined where it has none. */
export const chromium = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find(isProgram);

type Message = { id?: number; method?: string; params?: any; result?: any; error?: { message: string }; sessionId?: string };

/** A page of a browser without a window. `problems`: what its console and the policy of the page have complained of. */
export type BrowserPage = {
  problems: string[];
  goto(url: string): Promise<void>;
  /** Of JavaScript in the page; a promise is waited for. */
  value<T>(expression: string): Promise<T>;
  /** Until an expression holds, over loads of other pages. */
  until(expression: string): Promise<void>;
  resize(width: number, height?: number): Promise<void>;
  /** Mouse at places of the window, one after the other, with the button held. */
  drag(places: readonly { x: number; y: number }[], shift?: boolean): Promise<void>;
  /** Writes a PNG of the whole page. */
  picture(path: string): Promise<void>;
};

/** Starts the browser and opens an empty page, 1280 wide. */
export const openBrowser = async (): Promise<{ page: BrowserPage; close(): Promise<void> }> => {
  const profile = mkdtempSync(join(tmpdir(), 'portolan-browser-'));
  const child = spawn(
    chromium!,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let address = '';
  for await (const line of createInterface({ input: child.stderr })) {
    address = /^DevTools listening on (\S+)/.exec(line)?.[1] ?? '';
    if (address) break;
  }
  child.stderr.resume();
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  const heard = new Set<(message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    const asked = message.id === undefined ? undefined : waiting.get(message.id);
    if (message.id !== undefined) waiting.delete(message.id);
    if (message.error) asked?.reject(new Error(message.error.message));
    else asked?.resolve(message.result);
    for (const hear of heard) hear(message);
  });
  let sent = 0;
  const ask = (method: string, params: object, session: { sessionId?: string } = {}): Promise<any> =>
    new Promise((resolve, reject) => {
      const id = ++sent;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params, ...session }));
    });
  const event = (name: string): Promise<void> =>
    new Promise((resolve) => {
      const hear = ({ method }: Message): void => {
        if (method !== name) return;
        heard.delete(hear);
        resolve();
      };
      heard.add(hear);
    });

  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params: object = {}): Promise<any> => ask(method, params, { sessionId });
  const problems: string[] = [];
  heard.add(({ method, params }) => {
    if (method === 'Log.entryAdded' && params.entry.level === 'error') problems.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    if (method === 'Runtime.exceptionThrown') problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
  });
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
  const resize: BrowserPage['resize'] = async (width, height = 900) =>
    void (await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 }));
  await resize(1280);
  const value = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as T;
  };
  const page: BrowserPage = {
    problems,
    resize,
    value,
    async goto(url) {
      const loaded = event('Page.loadEventFired');
      await send('Page.navigate', { url });
      await loaded;
    },
    async until(expression) {
      // While another page loads there is none to ask.
      while (!(await value<boolean>(`Boolean(${expression})`).catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 30));
    },
    async drag(places, shift = false) {
      const mouse = (type: string, place: object): Promise<unknown> =>
        send('Input.dispatchMouseEvent', { type, ...place, button: 'left', buttons: 1, clickCount: 1, modifiers: shift ? 8 : 0 });
      await mouse('mousePressed', places[0]!);
      for (const place of places.slice(1)) await mouse('mouseMoved', place);
      await mouse('mouseReleased', places.at(-1)!);
    },
    async picture(path) {
      const { data } = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
      writeFileSync(path, Buffer.from(data, 'base64'));
    },
  };
  return {
    page,
    async close() {
      socket.close();
      child.kill('SIGKILL');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
