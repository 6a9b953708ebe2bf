import { createHmac } from 'node:crypto';

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 with the secret over the time, a dot and the body as it is sent. */
export const signatureOf = (body: string, secret: string, seconds: number): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
