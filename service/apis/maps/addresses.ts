import { formerAddresses, type FurtherAddresses } from '../../http/addresses.ts';

const text = (field: string) => ({ type: 'text', field }) as const;
const list = (field: string) => ({ type: 'list', field }) as const;

/** Addresses that the text or public clients use beside the contracts' own, deprecated ones first; a project is also a dataset. */
export const addresses: FurtherAddresses = {
  further: [
    ...formerAddresses('maps'),
    {
      method: 'GET',
      path: '/v1/project/projection/{map_id}/datums',
      operation: 'maps.data.datums',
      query: { qid: list('qids'), columns: list('columns'), response_type: text('response_type') },
    },
    { method: 'GET', path: '/v1/project/{organization_slug}/project/{project_slug}', operation: 'maps.projects.bySlug', query: {} },
    { method: 'POST', path: '/v1/organization/rename', operation: 'maps.organizations.update', query: {} },
    // Its body is not shown: that of the search with the same answer (assumption).
    { method: 'POST', path: '/v1/project/search/vector', operation: 'maps.neighbors.byEmbedding', query: {} },
    { method: 'POST', path: '/v1/user/profile', operation: 'maps.user.profile', query: {} },
  ],
  mirror: (path) => (/^\/v1\/project(\/|$)/.test(path) ? path.replace('/v1/project', '/v1/dataset') : undefined),
};
