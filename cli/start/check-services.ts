import { connectionNames, servicesOf } from '../../config/connections.ts';
import type { Config } from '../../config/load.ts';
import type { Service } from '../../contracts/index.ts';
import { formatPath, type Finding } from '../../pipelines/file/findings.ts';
import { reach } from '../../pipelines/file/reach.ts';
import type { LoadedFile } from '../../pipelines/file/load.ts';
import type { Plan } from '../../pipelines/plan.ts';

/** The connection that a file names, for an environment or for all, and that lacks a service which one of the file's steps calls. */
export function checkServices({ steps, undo }: Plan, { value, locate }: LoadedFile, config: Config, environment?: string): Finding[] {
  const there = ['environments', environment ?? '', 'connection'];
  const path = reach(value, there) === undefined ? ['connection'] : there;
  const name = reach(value, path);
  if (typeof name !== 'string' || !connectionNames(config).includes(name)) return [];
  const holds = servicesOf(config, name);
  const called = [...steps, ...(undo?.steps ?? [])].flatMap(({ id, use, connections }) =>
    Object.keys(connections).map((service) => ({ id, use, service: service as Service })),
  );
  const missing = called.find(({ service }) => !holds.includes(service));
  if (missing === undefined) return [];
  const { id, use, service } = missing;
  const others = connectionNames(config).filter((other) => called.every((each) => servicesOf(config, other).includes(each.service)));
  return [
    {
      code: 'no-service',
      message: `connection '${name}' holds no service '${service}', only ${holds.join(', ')}; steps.${id} (${use}) calls it`,
      path: formatPath(path),
      ...locate.value(path),
      remedy: `name a connection that holds it (${others.join(', ')}), or add it: connections.${name}.${service}: { url, secret }`,
    },
  ];
}
