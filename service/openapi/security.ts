import type { Endpoint } from '../../contracts/endpoint.ts';
import type { OperationName, Service } from '../../contracts/index.ts';

/** The security schemes that the texts name. */
export const securitySchemes: Readonly<Record<Service, object>> = {
  maps: {
    implicit: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/v1/user/authorize', scopes: {} } } },
    bearer: { type: 'http', scheme: 'bearer' },
    password: { type: 'oauth2', flows: { password: { tokenUrl: '/v1/user/token', scopes: {} } } },
  },
  instance: { bearer: { type: 'http', scheme: 'bearer' } },
};

/** Operations that the maps text gives to the HTTP bearer scheme alone, and the one that takes the password bearer besides. */
const bearerOnly = new Set<OperationName>(['maps.usage.withinLimit', 'maps.neighbors.inTiles', 'maps.data.datums']);
const withPassword: OperationName = 'maps.user.get';

export const securityOf = (service: Service, { auth }: Endpoint, operation: OperationName): { security: object[] } => {
  if (auth === false) return { security: [] };
  const schemes = service === 'instance' || bearerOnly.has(operation) ? ['bearer'] : ['bearer', 'implicit'];
  const all = operation === withPassword ? [...schemes, 'password'] : schemes;
  // Whoever has no key reads what is public.
  return { security: [...all.map((scheme) => ({ [scheme]: [] })), ...(auth === 'public' ? [{}] : [])] };
};
