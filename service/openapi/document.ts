import { operations, serviceOf, type OperationName, type Service } from '../../contracts/index.ts';
import { served } from '../apis/served.ts';
import { contractAddress, type Address } from '../http/addresses.ts';
import { errorSchemas } from './errors.ts';
import { operationOf } from './operation.ts';
import { selectionSchemas } from './schemas.ts';
import { securitySchemes } from './security.ts';

/** Title and version as the texts state them; the instance text names no version but that of its paths. */
const about: Readonly<Record<Service, { title: string; version: string }>> = {
  maps: { title: 'Data map API', version: 'v0.57.0' },
  instance: { title: 'Instance administration API', version: 'v0' },
};

/** Where each document is served. */
export const documentPaths: Readonly<Record<Service, string>> = { maps: '/v1/openapi.json', instance: '/api/v0/openapi.json' };

const addressesOf = (service: Service): Address[] => {
  const own = (Object.keys(operations) as OperationName[]).filter((name) => serviceOf(name) === service).map(contractAddress);
  return [...own, ...served[service].addresses.further];
};

export type OpenApi = {
  openapi: '3.1.0';
  info: { title: string; version: string };
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
};

/** An API as OpenAPI 3.1, derived from its contracts and from the further addresses that are served. */
export const openApiOf = (service: Service): OpenApi => {
  const paths: OpenApi['paths'] = {};
  const times = new Map<OperationName, number>();
  for (const address of addressesOf(service)) {
    const { method, path, operation } = address;
    const time = (times.get(operation) ?? 0) + 1;
    times.set(operation, time);
    const id = time === 1 ? operation : `${operation}.${time}`;
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(service, operations[operation], address, id);
  }
  const selections = service === 'maps' ? selectionSchemas() : {};
  return {
    openapi: '3.1.0',
    info: about[service],
    paths,
    components: { schemas: { Refusal: errorSchemas[service], ...selections }, securitySchemes: securitySchemes[service] },
  };
};
