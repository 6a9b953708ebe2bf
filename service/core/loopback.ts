import type { HttpBindings } from '@hono/node-server';

const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Headers by which a proxy on this machine says that it speaks for another. */
const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/**
 * Whether both the address and the Host header are loopback, and no proxy has passed the request on: neither a web page
 * that a browser was led to nor a stranger behind a proxy of this machine must pass. In process always.
 */
export const isLoopback = ({ incoming }: Partial<HttpBindings> = {}): boolean =>
  !incoming ||
  (loopbackAddress.test(incoming.socket.remoteAddress ?? '') &&
    loopbackHost.test(incoming.headers.host ?? '') &&
    forwarded.every((name) => incoming.headers[name] === undefined));

/**
 * Whether a browser sends this for a page of another origin. It says so in `sec-fetch-site`, an older one in `origin` alone; other clients
 * send neither. A page that names no referrer has the origin `null`, which says nothing beside the former.
 */
export const fromOtherSite = (headers: Headers): boolean => {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  return origin !== null && origin !== `http://${headers.get('host')}` && (origin !== 'null' || site === null);
};
