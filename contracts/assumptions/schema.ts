import { z } from 'zod';
import { parseReading, type Readings } from './index.ts';

/** Readings by assumption, as a configuration or the control plane names them. */
export const readingsSchema = z.record(z.string(), z.string()).transform((taken, context): Partial<Readings> => {
  const some = Object.entries(taken).map(([name, reading]) => ({ name, parsed: parseReading(`${name}=${reading}`) }));
  for (const { name, parsed } of some) if ('fault' in parsed) context.addIssue({ code: 'custom', message: parsed.fault, path: [name] });
  return Object.assign({}, ...some.map(({ parsed }) => parsed)) as Partial<Readings>;
});
