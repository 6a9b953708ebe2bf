import type { HttpBindings } from '@hono/node-server';

const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Whether both the address and the Host header are loopback: a web page that a browser was led to must not pass. In process always. */
export const isLoopback = ({ incoming }: Partial<HttpBindings> = {}): boolean =>
  !incoming || (loopbackAddress.test(incoming.socket.remoteAddress ?? '') && loopbackHost.test(incoming.headers.host ?? ''));
