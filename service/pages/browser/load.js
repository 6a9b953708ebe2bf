const base = `/pages/maps/${encodeURIComponent(location.pathname.split('/')[2] ?? '')}`;
const load = async (path, read) => answered(await fetch(base + path), read);
const answered = async (response, read) => {
  if (response.ok) return read(response);
  const { detail } = await response.json().catch(() => ({ detail: `status ${response.status}` }));
  throw new Error(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
};
/** JSON of the map; an error carries the service's own words. */
export const json = (path) => load(path, (response) => response.json());
/** Sends bytes for the map; JSON of what became of them. */
export const send = async (path, body) => {
  const response = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body });
  return answered(response, (good) => good.json());
};
/** Bytes of the map: typed arrays. */
export const binary = (path) => load(path, (response) => response.arrayBuffer());
