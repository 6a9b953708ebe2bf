import { statementMutant, type StatementRow } from './statement-mutant.ts';

const selection = 'contracts/maps/selection.ts';
const compile = 'service/engine/selection/compile.ts';
const fold = 'service/engine/selection/fold.ts';
const fragment = 'service/engine/selection/fragment.ts';
const query = 'service/apis/maps/query.ts';
const queries = 'contracts/maps/query.ts';
const tags = 'service/apis/maps/tags.ts';
const datums = 'service/apis/maps/data.ts';
const access = 'service/apis/maps/access.ts';
const keys = 'service/apis/maps/keys.ts';
const addresses = 'service/apis/maps/addresses.ts';
const usage = 'service/apis/maps/usage.ts';
const input = 'service/http/input.ts';
const images = 'service/apis/maps/embedding-images.ts';

/** A rule of a text broken in the service: [statement, file, find, replace]. The tests that name the statement must see it. */
const broken: readonly StatementRow[] = [
  ['selection-dsl/1', selection, '[{ value: top }]', "[{ value: typeof top === 'string' ? JSON.parse(top) : top }]"],
  ['selection-dsl/2', selection, 'if (!within) issues.push(', 'if (within === null) issues.push('],
  [
    'selection-dsl/3',
    selection,
    'filter.safeParse(value)',
    "filter.safeParse(within ? Object.assign({ method: 'search' }, value) : value)",
  ],
  ['selection-dsl/4#polarity', selection, 'const polarity = z.boolean().nullish();', 'const polarity = z.unknown();'],
  ['selection-dsl/5', fold, 'outer !== (filter.polarity === false)', 'outer'],
  ['selection-dsl/6', fold, 'outer !== (filter.polarity === false)', 'outer !== (filter.polarity !== true)'],
  ['selection-dsl/composition', compile, '`(${part.sql})` : part.sql', 'part.sql : part.sql'],
  ['selection-dsl/composition#conjunctor', selection, "conjunctor: z.enum(['ANY', 'ALL']),", 'conjunctor: z.string(),'],
  ['selection-dsl/composition#filters', selection, 'filters: z.array(z.unknown()),', 'filters: z.array(z.unknown()).default([]),'],
  ['selection-dsl/composition.2', compile, "(conjunctor === 'ALL') !== negate ? 'AND' : 'OR'", "negate ? 'OR' : 'AND'"],
  ['selection-dsl/composition.3', compile, "(conjunctor === 'ALL') !== negate ? 'AND' : 'OR'", "negate ? 'AND' : 'OR'"],
  [
    'selection-dsl/search',
    fragment,
    '`contains(lower(${column}), lower(CAST(? AS VARCHAR)))`',
    '`lower(${column}) = lower(CAST(? AS VARCHAR))`',
  ],
  ['selection-dsl/search#query', selection, 'query: z.string(),', "query: z.string().default(''),"],
  ['selection-dsl/search#field', compile, 'columns.find(({ name }) => name === field)', "columns.find(({ type }) => type === 'string')"],
  ['selection-dsl/range', fragment, 'CAST(? AS DOUBLE) AND ${value}', 'CAST(? AS DOUBLE) OR ${value}'],
  ['selection-dsl/range#range', selection, 'range: z.tuple([z.number(), z.number()])', 'range: z.array(z.number())'],
  ['selection-dsl/range#field', compile, 'columns.find(({ name }) => name === field)', "columns.find(({ type }) => type === 'int32')"],
  ['selection-dsl/range.2', fragment, "double(bound(to, type, 'to'))", "double(bound(from, type, 'to'))"],
  ['selection-dsl/range.3', fragment, 'CAST(epoch_ms(${column}) AS DOUBLE)', 'CAST(epoch_ms(${column}) / 1000 AS DOUBLE)'],
  ['selection-dsl/category', fragment, 'String(value).toWellFormed()),', 'String(value).toWellFormed()).slice(0, 1),'],
  ['selection-dsl/category.2', fragment, 'column,\n        values.map((value)', '`left(${column}, 4)`,\n        values.map((value)'],
  ['selection-dsl/category#values', selection, 'values: z.array(z.union([z.string(), z.number(), z.boolean()])),', 'values: z.unknown(),'],
  ['selection-dsl/category#field', compile, 'columns.find(({ name }) => name === field)', 'columns[0]'],
  [
    'query-request/projection_id',
    queries,
    'z.strictObject({ projection_id: id, selection })',
    'z.strictObject({ projection_id: z.string(), selection })',
  ],
  [
    'query-request/selection',
    queries,
    'z.strictObject({ projection_id: id, selection })',
    'z.strictObject({ projection_id: id, selection: z.any() })',
  ],
  ['query-request/1', query, '`to_json(${id})`', '`to_json("_row")`'],
  ['what-the-service-does/7', compile, 'sql: parts.map((part)', 'sql: parts.slice(-1).map((part)'],
  [
    'what-the-service-does/2',
    'service/apis/maps/project-view.ts',
    'projection_id: index.projection_id,\n  created',
    'projection_id: index.index_id,\n  created',
  ],
  ['what-the-service-does/9', 'service/engine/datasets/tagged.ts', 'if (having.size > 0) await run(', 'if (having.size < 0) await run('],
  ['tag-update-request/projection_id', tags, 'FROM tags WHERE projection_id = ? AND', 'FROM tags WHERE (projection_id = ? OR true) AND'],
  ['tag-update-request/tag_name', tags, 'AND tag_name = ?', 'AND (tag_name = ? OR true)'],
  ['tag-update-request/ids', 'contracts/maps/tags.ts', 'ids: z.array(z.string()).min(1),', 'ids: z.array(z.coerce.string()).min(1),'],
  ['tag-update-request/operation', 'contracts/maps/tags.ts', "z.enum(['add', 'remove'])", "z.enum(['add', 'remove']).default('add')"],
  ['tag-update-request/id_field', tags, 'if (named === undefined && needed)', 'if (named === null && needed)'],
  ['tag-update-request/id_field.2', tags, 'named !== undefined && named !== idField', 'named === null'],
  ['tag-update-request/id_field.3', tags, 'required: configured', 'required: true'],
  ['tag-update-request/1#success', tags, 'success: true, tag_id, points_tagged', "success: operation === 'add', tag_id, points_tagged"],
  ['tag-update-request/1#tag_id', tags, 'known?.tag_id ?? randomUUID()', 'randomUUID()'],
  ['tag-update-request/1#points_tagged', tags, 'change : found.length', 'change : ids.length'],
  ['POST /v1/query/update/tag/ids.2', tags, 'points_tagged: readings.of', 'points: readings.of'],
  ['top-k-request/k', query, '(where?.params ?? []), k]', '(where?.params ?? []), k + 1]'],
  ['top-k-request/fields', query, "chosenColumns(facts, 'fields', fields)", "chosenColumns(facts, 'fields', null)"],
  ['top-k-request/query', queries, 'z.array(z.number()).min(1)]', 'z.array(z.coerce.number()).min(1)]'],
  ['top-k-request/query.1', query, 'embed([query],', 'embed([query.slice(0, 1)],'],
  ['top-k-request/query.2', query, 'if (vector.length !== index.dimensions)', 'if (vector.length < 0)'],
  ['top-k-request/selection', query, 'const where = selection ?', 'const where = selection === null ?'],
  ['POST /v1/query/topk.1', queries, 'fields: z.array(z.string()),', 'fields: z.array(z.string()).default([]),'],
  ['POST /v1/query/topk.2', query, 'ORDER BY similarity DESC, "_row"`', 'ORDER BY similarity, "_row"`'],
  [
    'GET /v1/project/projection/{map_id}/datums#qid',
    'contracts/maps/data.ts',
    ".regex(/^\\d+-\\d+$/, 'a tile-row pair such as 13-264')",
    '',
  ],
  [
    'POST /v1/project/projection/{map_id}/datums#qids',
    'contracts/maps/data.ts',
    'z.array(qid).min(1).max(10_000)',
    'z.array(qid).max(10_000).default([])',
  ],
  [
    'POST /v1/project/projection/{map_id}/datums#response_type',
    datums,
    "response_type === 'json' ? ordered",
    "response_type === 'arrow' ? ordered",
  ],
  ['GET /v1/project/projection/{map_id}/datums#response_type-default', 'contracts/maps/data.ts', "'arrow' as const", "'json' as const"],
  [
    'GET /v1/project/projection/{map_id}/datums#columns',
    datums,
    "chosenColumns(facts, 'columns', columns)",
    "chosenColumns(facts, 'columns', null)",
  ],
  [
    'GET /v1/project/projection/{map_id}/datums.1',
    'service/engine/datasets/rows.ts',
    "return facts.columns.filter(({ type }) => type !== 'vector');",
    'return facts.columns;',
  ],
  ['POST /v1/project/data/delete.1', 'service/engine/datasets/delete.ts', "[...holders, 'tagged', 'data']", "[...holders, 'tagged']"],
  [
    'GET /v1/project/{dataset_id}/last_modified.1',
    'service/engine/datasets/delete.ts',
    'added_at = CASE WHEN ? THEN',
    'added_at = CASE WHEN ? AND false THEN',
  ],
  ['api-key-creation-request/3', keys, 'null : (key_target_id ?? organization_id)', 'null : (key_target_id ?? null)'],
  ['api-key-creation-request/4', keys, 'null : (key_target_id ?? organization_id)', 'null : organization_id'],
  ['api-key-creation-request/5', access, 'if (datasets.some((dataset) => dataset !== target.id))', 'if (target.id === undefined)'],
  ['api-key-creation-request/6', access, "target.id === null || target.kind === 'USER'", "target.id === null && target.kind !== 'USER'"],
  ['api-key-creation-request/key_role', access, 'if (!maySend(role, endpoint))', 'if (target.id === undefined)'],
  [
    'api-key-creation-request/key_role.1',
    keys,
    'if (key_role && !known.includes(key_role))',
    'if (key_role === undefined && known.length < 0)',
  ],
  ['api-key-creation-request/key_name', keys, 'AND user_id = ? AND key_name = ?",', 'AND user_id = ? AND key_name <> ?",'],
  ['authentication/2', 'service/http/exchange.ts', 'if (!caller) throw', 'if (caller === null) throw'],
  ['authentication/9', 'contracts/maps/health.ts', '  auth: false,\n', ''],
  ['what-the-service-does/5', keys, 'ORDER BY created_at, id`', 'ORDER BY created_at, id LIMIT 0`'],
  [
    'GET /v1/organization/{organization_id_or_slug}.1',
    'service/apis/maps/organization-view.ts',
    'if (role === undefined) return',
    'if (role === null) return',
  ],
  [
    'GET /v1/organization/{organization_id_or_slug}#offset_number',
    'service/apis/maps/organization-view.ts',
    'LIMIT ? OFFSET ?',
    'LIMIT ? OFFSET (? * 0)',
  ],
  [
    'GET /v1/organization/{organization_id_or_slug}#offset_number-default',
    'contracts/maps/organizations.ts',
    'z.int().min(0).default(0)',
    'z.int().min(0).default(1)',
  ],
  ['GET /v1/organization/search/{slug}.1', 'contracts/maps/organizations.ts', '  auth: false,\n', ''],
  ['POST /v1/organization/create.1', 'service/core/records/organizations.ts', "userId, id, 'OWNER'", "userId, id, 'ADMIN'"],
  ['POST /v1/organization/update.1', 'service/apis/maps/organizations.ts', 'WHERE id = ? AND (', 'WHERE (id = ? OR true) AND ('],
  ['POST /v1/organization/rename.1', addresses, "'/v1/organization/rename'", "'/v1/organization/renamed'"],
  [
    'POST /v1/organization/members/delete.1',
    'service/apis/maps/members.ts',
    "return records.run('DELETE FROM memberships WHERE user_id = ? AND organization_id = ?', user_id, organization_id);",
    'return 1;',
  ],
  ['POST /v1/organization/members/remove.1', addresses, "'/v1/organization/members/remove'", "'/v1/organization/members/removed'"],
  ['GET /v1/user/.1', 'service/apis/maps/user.ts', 'WHERE user_id = ? ORDER BY organizations', 'WHERE user_id <> ? ORDER BY organizations'],
  [
    'GET /v1/project/.1',
    'service/apis/maps/projects.ts',
    'FROM memberships WHERE user_id = ?)',
    'FROM memberships WHERE user_id = ? OR true)',
  ],
  ['GET /v1/organization/{organization_id_or_slug}/usage.2', usage, 'date.getUTCMonth() - 1, date', 'date.getUTCMonth() - 12, date'],
  ['GET /v1/organization/{organization_id_or_slug}/usage2.1', usage, 'from !== monthOf(from) || from > now', 'from > now'],
  [
    'GET /v1/organization/{organization_id_or_slug}/usage/{usage_type}/within_limit.1',
    usage,
    'text_tokens: tokensOf(models), image',
    'text_tokens: imagesOf(models), image',
  ],
  ['validation-error-body/1', 'contracts/maps/errors.ts', 'detail } : { detail };', 'detail } : { detail, error: true };'],
  ['validation-error-body/1#loc', input, 'loc: [...place, ...rest]', 'loc: [...place, ...rest].map(String)'],
  ['validation-error-body/1#msg', input, 'msg: issue.message', "msg: ''"],
  ['validation-error-body/1#type', input, 'type: issue.code', "type: ''"],
  ['errors/422', input, '422,\n    parsed.error', '400,\n    parsed.error'],
  ['endpoints/2', input, "kind === 'json' ? parseJson(bytes", "kind === 'json' && bytes[0] === 123 ? parseJson(bytes"],
  ['POST /v1/project/index/create.1', 'service/apis/maps/indices.ts', 'return { job_id: ids.job_id,', 'return { job_id: ids.index_id,'],
  ['POST /v1/project/remove.1', 'service/apis/maps/projects.ts', '      removals.resume();\n', ''],
  [
    'POST /v1/project/data/add/blobs.2',
    'service/engine/blobs.ts',
    'await writeWhole(path, bytes,',
    'await writeWhole(path, bytes.slice(1),',
  ],
  ['POST /v1/project/{dataset_id}/data/upload/start.1', 'service/apis/maps/uploads.ts', 'part_number: at + 1, url', 'part_number: at, url'],
  ['image-embedding/images', images, 'images.map((image, at)', 'images.toReversed().map((image, at)'],
  ['image-embedding/urls', images, 'outside.fetch(url,', 'outside.fetch(urls![0]!,'],
  ['image-embedding/model', images, 'if (!isVisionModel(model))', 'if (model.length < 0)'],
  ['image-embedding.2/usage', images, 'embeddings.length * IMAGE_TOKENS', 'IMAGE_TOKENS'],
  ['GET /v1/user/authorize.1', 'service/apis/maps/identity.ts', 'redirect_uri && !mayReturnTo(redirect_uri)', "redirect_uri === ''"],
  ['GET /v1/user/logout', 'service/apis/maps/identity.ts', 'if (session !== undefined) end(session, requestId);', ''],
];

/** Named by the statements that they break, so that a statement whose tests cannot fail is found. */
export const statements = broken.map(statementMutant);
