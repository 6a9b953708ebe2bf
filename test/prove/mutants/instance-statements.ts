import type { StatementRow } from './statement-mutant.ts';

const agents = 'service/apis/instance/agents.ts';
const agentContracts = 'contracts/instance/agents.ts';
const view = 'service/apis/instance/agent-view.ts';
const host = 'service/apis/instance/agent-host.ts';
const engine = 'service/engine/agents/agents.ts';
const launching = 'service/engine/agents/launch.ts';
const removal = 'service/engine/agents/remove.ts';
const round = 'service/engine/agents/round.ts';
const spend = 'service/engine/agents/spend.ts';
const worker = 'service/engine/agents/built-in/decide.ts';
const material = 'service/engine/agents/built-in/material.ts';
const apiKeys = 'service/apis/instance/api-keys.ts';
const keys = 'service/core/records/keys.ts';
const users = 'service/apis/instance/users.ts';
const userContracts = 'contracts/instance/users.ts';
const projects = 'service/apis/instance/projects.ts';
const projectEngine = 'service/engine/projects/projects.ts';
const membersPage = 'service/apis/instance/members-page.ts';
const files = 'service/apis/instance/files.ts';
const fileEngine = 'service/engine/files/files.ts';
const workflows = 'service/apis/instance/workflows.ts';
const workflowEngine = 'service/engine/workflows/workflows.ts';
const budgets = 'service/apis/instance/budgets.ts';
const budgetEngine = 'service/engine/budgets/budgets.ts';
const change = 'service/engine/budgets/change.ts';
const funds = 'service/engine/budgets/funds.ts';
const codes = 'service/engine/codes/codes.ts';
const access = 'service/apis/instance/access.ts';
const exchange = 'service/http/exchange.ts';
const limits = 'contracts/limits.ts';

/** A rule of the instance text broken in the service: [statement, file, find, replace]. The tests that name the statement must see it. */
export const instanceStatements: readonly StatementRow[] = [
  ['GET /agents#limit-default', agents, 'const usual = 20;', 'const usual = 21;'],
  ['GET /agents#limit-max', agentContracts, 'limit: z.int().min(1).max(100).optional(),', 'limit: z.int().min(1).max(1_000).optional(),'],
  ['GET /agents#status', agents, 'AND status = coalesce(?, status)', 'AND (status = coalesce(?, status) OR true)'],
  ['GET /agents#workflowId', agents, "workflowId === undefined || workflowId === 'null' ? null", 'workflowId === undefined ? null'],
  ['GET /agents#nextCursor', agents, 'nextCursor: rows.length > limit ? page.at(-1)!.id : null', 'nextCursor: null'],
  ['GET /agents#cursor', agents, "'seq < ? ORDER BY seq DESC'", "'seq <= ? ORDER BY seq DESC'"],
  ['agents/8', agents, '!row || row.user_id !== userId || row.organization_id', '!row || row.organization_id'],
  ['agents/7', agents, 'analyticsScope) && administers(records, caller))', 'analyticsScope))'],
  ['states-and-transitions/finished-stopped-or-failed', agents, 'if (!hasEnded(agent))', "if (agent.status === 'running')"],
  ['GET /agents/{id}/conversation#include-default', agents, 'include = []', "include = ['steps']"],
  [
    'GET /agents/{id}/artifacts/{artifactId}/exports#version-default',
    agents,
    'artifactOf(records, own(id, caller).id, artifactId, version)',
    'artifactOf(records, own(id, caller).id, artifactId, version ?? 1)',
  ],
  [
    'GET /agents/{id}/artifacts/{artifactId}/exports.2',
    'service/engine/agents/exports/export-route.ts',
    'exportSeconds = 300',
    'exportSeconds = 3_000',
  ],
  ['export/1', 'service/engine/agents/exports/make-export.ts', "'artifact'}-v${version}", "'artifact'}"],
  ['artifact/2', 'service/engine/agents/artifacts.ts', 'ORDER BY version DESC LIMIT 1', 'ORDER BY version LIMIT 1'],
  ['artifact/4', 'service/engine/agents/tools/query.ts', 'return { schema, elements', 'return { schema: schema.slice(1), elements'],
  ['conversation-message/2', view, 'withSteps || said.has(type)', "withSteps || type !== ''"],
  ['conversation-message/3', engine, 'if (isLong(messagesOf(records, agent.id)))', 'if (turn < 0)'],
  ['conversation-message/tool#subAgentIds', view, 'toolName, status, subAgentIds };', 'toolName, status, subAgentIds: [] };'],
  ['agent-detail/1#activeFileIds', view, '.map(({ file_id }) => file_id)', '.slice(1).map(({ file_id }) => file_id)'],
  [
    'agent-usage/2',
    spend,
    'UNION SELECT agents.id FROM agents JOIN family ON parent_id = family.id)',
    'UNION SELECT id FROM agents WHERE false)',
  ],
  ['agent-usage/1#costUsd', spend, 'costUsd: nano / 1e9', 'costUsd: 0 * nano'],
  [
    'agent-usage/4',
    round,
    'if (charged > 0) host.charge(ownerOf(agent), { agentId: agent.id, nanoUsd });',
    'host.charge(ownerOf(agent), { agentId: agent.id, nanoUsd: nanoUsd * charged * 2 });',
  ],
  ['agent-summary/retry#operatorActionRequired', round, 'operatorActionRequired: !goesOn', 'operatorActionRequired: false'],
  ['agent-summary/retry#attemptCount', round, 'const attemptCount = before + 1;', 'const attemptCount = before;'],
  ['agent-summary/workflowName', launching, 'workflow_name: workflow?.name ?? null', 'workflow_name: null'],
  ['agents/1#model', launching, "model: input.model ?? workflow?.model ?? 'auto'", "model: workflow?.model ?? 'auto'"],
  ['agents/1#projectId', launching, 'project_id: input.projectId ?? null', 'project_id: null'],
  ['agents/1#workflowInputs', launching, 'if (ids.length > 1 && !slot.multiple)', 'if (ids.length > 9)'],
  ['agents/5', launching, 'if (ids.length === 0 && !slot.optional)', 'if (ids.length < 0)'],
  ['agents/1', agentContracts, 'capabilities: z.strictObject({', 'capabilities: z.looseObject({'],
  [
    'agents/1#codeSearch',
    worker,
    'wishes.searchCodes === undefined || !situation.capabilities.codeSearch',
    'wishes.searchCodes === undefined',
  ],
  ['agents/4', material, "turn === 1 ? (instructions ?? '') : '',", "'',"],
  ['agents/3', host, 'if (missing.length > 0) throw', 'if (missing.length < 0) throw'],
  ['files/3', host, "status === 'processing'", "status === 'failed'"],
  ['agents/6', workflowEngine, 'if (found.id !== row.released_id && !mayEdit(caller, row))', "if (found.id === '')"],
  [
    'states-and-transitions/running',
    engine,
    'change(records, id, { stopping: 1, due_at: 0 })',
    "change(records, id, { stopping: 1, due_at: 0, status: 'stopped' })",
  ],
  [
    'states-and-transitions/any-terminal-state',
    engine,
    'if (hasEnded(agent)) return agent;',
    "if (hasEnded(agent)) return (change(records, agent.id, { status: 'stopped' }), agentOf(records, agent.id)!);",
  ],
  [
    'DELETE /agents/{id}.1',
    removal,
    "records.run('UPDATE agents SET deleted_at = updated_at WHERE id = ?', id);",
    "if (id === agent.id) records.run('UPDATE agents SET deleted_at = updated_at WHERE id = ?', id);",
  ],
  [
    'DELETE /agents/{id}.2',
    removal,
    "records.run('UPDATE artifacts SET agent_id = NULL WHERE agent_id = ?', id);",
    "records.run('DELETE FROM artifact_versions WHERE artifact_id IN (SELECT id FROM artifacts WHERE agent_id = ?)', id);",
  ],
  ['DELETE /agents/{id}.3', removal, '    host.orphan([...new Set(files.map(({ file_id }) => file_id))]);\n', ''],
  [
    'states-and-transitions/running-delete-/agents/{id}',
    removal,
    'Promise.all(all.map(({ id }) => queue.abort(id)));',
    'Promise.resolve();',
  ],
  ['limits/delete-waits-up-to-10-seconds-for-a-running-agent', removal, 'const releaseMs = 10_000;', 'const releaseMs = 1_000;'],
  ['POST /agents/{id}/followup#prompt', 'contracts/instance/agent-shapes.ts', "text.trim() !== ''", "text !== ''"],

  ['api-key/keyPrefix', keys, 'key.slice(0, keyPrefix.length + digitsShown)', 'key.slice(0, keyPrefix.length + 40)'],
  ['api-key/lastUsedAt', keys, "records.run('UPDATE keys SET last_used_at = ? WHERE id = ?', isoTime(), found.id);", 'void isoTime();'],
  ['api-key/expiresAt', keys, 'Date.parse(expires_at) <= now()', 'Date.parse(expires_at) < 0'],
  ['GET /api-keys#includeRevoked', apiKeys, "Number(String(includeRevoked) === 'true')", 'Number(includeRevoked !== undefined)'],
  ['GET /api-keys#totalCount', apiKeys, '      total,\n    );', '      total + 1,\n    );'],
  ['POST /api-keys/{id}/revoke.1', apiKeys, 'subject: id, reason }', 'subject: id, reason: undefined }'],
  ['errors/409', apiKeys, 'if (key.revoked_at !== null) throw', "if (key.revoked_at === '') throw"],
  [
    'errors/404',
    apiKeys,
    "if (!key) throw notFound('API key', id);",
    "if (!key) throw new HttpError(403, `no key ${notFound('', '').status}`);",
  ],
  ['user/1#apiKeyCount', keys, 'WHERE user_id = ? AND service = ? AND revoked_at', 'WHERE user_id <> ? AND service = ? AND revoked_at'],
  ['GET /users#email', users, 'instr(caseless(email), caseless(?)) > 0', 'instr(email, ?) > 0'],
  [
    'POST /users/{id}/disable.1',
    users,
    "'UPDATE keys SET revoked_at = ? WHERE user_id = ?",
    "'UPDATE keys SET revoked_at = ? WHERE id = ?",
  ],
  [
    'POST /users/{id}/disable#reason',
    userContracts,
    'input: z.strictObject({ id, reason: z.string().min(1) }),\n  output: z.looseObject({\n',
    'input: z.strictObject({ id, reason: z.string() }),\n  output: z.looseObject({\n',
  ],
  ['GET /users#limit-default', 'service/apis/instance/page.ts', 'const usual = 100;', 'const usual = 99;'],
  ['GET /users#limit-max', userContracts, 'max(1_000)', 'max(10_000)'],

  ['projects/2', projects, "membership === 'any' && administers(records, caller)", "membership === 'any'"],
  [
    'projects/5',
    projects,
    '|| isMember(records, user, caller.organizationId)',
    "|| isMember(records, user, caller.organizationId) || user !== ''",
  ],
  ['GET /projects#totalCount', projects, 'totalCount: total', 'totalCount: page.data.length'],
  ['GET /projects#limit-default', projects, 'const usual = 20;', 'const usual = 10;'],
  [
    'POST /projects/{id}#name',
    projectEngine,
    'fields.description === undefined ? project.description : fields.description',
    'fields.description ?? null',
  ],
  ['projects/10', projectEngine, 'if (!project || !(roleOf(id, caller.userId) || administers(records, caller)))', 'if (!project)'],
  ['POST /projects.2', projectEngine, "VALUES (?, ?, 'admin')", "VALUES (?, ?, 'editor')"],
  [
    'project/3',
    'service/apis/instance/adds-to.ts',
    "projects.roleOf(projectId, caller.userId) === 'viewer'",
    "projects.roleOf(projectId, caller.userId) === 'editor'",
  ],
  ['GET /projects/{id}/members#limit-default', membersPage, 'const usual = 50;', 'const usual = 40;'],
  ['GET /projects/{id}/members#cursor', membersPage, 'rows = read(behind, limit + 1)', 'rows = read(behind.slice(0, 8), limit + 1)'],

  ['GET /files/search#query', files, 'instr(caseless(name), caseless(?)) > 0', 'instr(name, ?) > 0'],
  ['GET /files/search#integrationId', files, 'integrationId === integration\n', "integrationId !== ''\n"],
  ['GET /files/search#limit-default', files, 'const usual = 10;', 'const usual = 20;'],
  ['GET /files/search#path', files, '`/${encodeURIComponent(part)}`', '`/${part}`'],
  ['GET /files/{id}/status.3', files, "if (!file) throw notFound('file', id);", "if (!file) throw invalid('id', 'is not yours');"],
  ['file/2#size', files, 'size: bytes,', 'size: bytes + 1,'],
  ['errors/refused-post-/files/upload', files, 'if (bytes === 0) throw', 'if (bytes < 0) throw'],
  ['files/1', fileEngine, 'expires_at = NULL WHERE id = ?', 'expires_at = expires_at WHERE id = ?'],
  ['states-and-transitions/2', fileEngine, "isIngested(name) ? 'processing' : 'ready'", "isIngested(name) ? 'ready' : 'ready'"],
  [
    'POST /files/temp-folder.2',
    'service/engine/files/folders.ts',
    "ensure(owner, 'temporary', null, 'temporary')",
    "ensure(owner, 'temporary', null, newId())",
  ],

  ['workflow/3', 'contracts/instance/workflows.ts', 'icon: z.string().nullish(),', 'icon: z.unknown(),'],
  [
    'states-and-transitions/8',
    workflows,
    'isReleased: version.id === row.released_id,\n          ...content',
    'isReleased: true,\n          ...content',
  ],
  ['states-and-transitions/9', workflowEngine, 'SET released_id = ?1 WHERE', 'SET released_id = coalesce(released_id, ?1) WHERE'],
  [
    'states-and-transitions/10',
    workflowEngine,
    'latest.id === base.id && latest.was_released',
    'latest.id !== base.id && latest.was_released',
  ],
  ['POST /workflows/{workflowId}.1', workflows, 'mode: given.mode ?? before.mode', "mode: given.mode ?? 'low'"],
  [
    'POST /workflows/{workflowId}#baseVersionId-default',
    workflows,
    'baseVersionId ?? row.latest_id',
    'baseVersionId ?? row.released_id ?? row.latest_id',
  ],
  ['GET /workflows/{workflowId}#versionId', workflows, ', versionId ?? row.latest_id', ', versionId ?? row.released_id ?? row.latest_id'],
  [
    'GET /workflows/{workflowId}/versions.2',
    workflowEngine,
    'WHERE workflow_id = ? ORDER BY version DESC',
    'WHERE workflow_id = ? ORDER BY version',
  ],
  ['workflows/1', workflows, '(user_id = ? OR (is_shared', '(user_id <> ? OR (is_shared'],
  ['workflows/3', workflows, 'workflows.version(row.released_id ?? row.latest_id)', 'workflows.version(row.latest_id)'],
  ['workflow/4#runCount', workflows, 'runCount: runs.length', 'runCount: 0'],
  ['workflow/4#totalCostUsd', workflows, 'budgets.costOf(runs) / 1e9', 'budgets.costOf(runs) / 1e7'],
  [
    'POST /workflows/{workflowId}/versions/{versionId}/release#previousReleasedVersionId',
    workflows,
    'previousReleasedVersionId: row.released_id',
    'previousReleasedVersionId: null',
  ],
  [
    'GET /workflows#projectId',
    workflows,
    'AND project_id IS coalesce(?, project_id)',
    'AND (project_id IS coalesce(?, project_id) OR true)',
  ],
  ['GET /workflows#limit-default', workflows, 'const usual = 20;', 'const usual = 30;'],
  [
    'POST /workflows#linkedArtifacts',
    workflowEngine,
    "if (typeof each.content !== 'string' && !isTable(each.content))",
    'if (each.content === null && !isTable(each.content))',
  ],

  ['budget/funding#remainingCents', budgets, 'remainingCents: left(row)', 'remainingCents: left(row) + row.spent_cents'],
  ['budget/scope#projectBudgetsEnabled', budgets, 'budgets.contractOf(row.organization_id).projectBudgets', "row.organization_id !== ''"],
  ['budget/parentId', budgets, "budgets.find(organization_id, 'organization')!.id;", 'null;'],
  ['budget/memberLimits#resetsAt', budgets, 'periodOf(row.limit_period, clock.now()).end', 'periodOf(row.limit_period, clock.now()).start'],
  ['budget/1#status', budgets, 'spentCents >= effectiveLimitCents', 'spentCents > effectiveLimitCents'],
  [
    'budgets/15',
    budgets,
    "projects.roleOf(project_id, caller.userId) === 'admin'",
    'projects.roleOf(project_id, caller.userId) !== undefined',
  ],
  ['budgets/7', budgets, 'if (!projects.administered(caller, projectId)) throw', "if (projectId === '') throw"],
  ['budgets/10', budgets, 'users.has(user) ? undefined', "users.has(user) || user !== '' ? undefined"],
  ['budgets/4', funds, "amount_cents = amount_cents - ? WHERE id = ?', cents", "amount_cents = amount_cents - 0 * ? WHERE id = ?', cents"],
  ['budgets/5', funds, 'cents > left(organization))', 'cents > 2 * left(organization))'],
  ['budgets/6', budgetEngine, 'if (!funds.contractOf(organizationId).projectBudgets)', "if (organizationId === '')"],
  ['budgets/11', budgetEngine, 'value: limitCents }))', 'value: limitCents ?? 0 }))'],
  ['budgets/13', budgetEngine, 'if (limits_enabled !== 1)', 'if (limits_enabled === 7)'],
  ['budgets/9', change, 'if (budget.project_id === null && (isFunding', "if (budget.project_id === '' && (isFunding"],
  ['POST /budgets#onExhausted', change, '    onExhausted,\n    renewed.cadence', "    'block',\n    renewed.cadence"],
  ['POST /budgets#renewal', change, 'cents: renewal?.amountCents ?? null', 'cents: renewal && 1'],

  ['POST /codes/search#year', codes, 'asked.filter((each) => each.year === year)', 'asked'],
  ['POST /codes/search#jurisdiction', codes, 'each.jurisdiction === norm(jurisdiction)', "norm(jurisdiction) !== ''"],
  ['POST /codes/search#limit', codes, 'if (hits.length === limit) break;', 'if (hits.length > limit) break;'],
  ['POST /codes/search#keywords', codes, 'phrases.every((each)', 'phrases.some((each)'],
  ['POST /codes/search.2', 'service/apis/instance/codes.ts', 'document.head.adopted ?? null', 'null'],

  [
    'authentication/4',
    'contracts/instance/parse.ts',
    "limit: 'instance/standard',\n  scopes: ['developer:parse']",
    "limit: 'instance/standard',\n  scopes: ['developer:files']",
  ],
  [
    'states-and-transitions/6',
    'service/apis/instance/parse.ts',
    "return { status: 'completed', resultUrl: `${origin}${signed.path}?${query}` };",
    "return { status: 'completed', resultUrl: `${origin}${signed.path}?${query}`, error: '' };",
  ],
  ['states-and-transitions/7', 'service/apis/instance/parse.ts', "error: task.error ?? 'failed'", "error: ''"],
  ['parse/1#summaryBy', 'service/apis/instance/parse.ts', 'by: summaryChunks.summaryBy ?? usual.by', 'by: usual.by'],
  ['authentication/1', exchange, '/^Bearer (.+)$/i', '/^(?:Bearer )?(.+)$/i'],
  [
    'authentication/3',
    access,
    "scopes.every((needed) => needed.startsWith('admin:')) && !administers(records, caller)",
    'scopes.length > 9',
  ],
  ['POST /files/upload.3', access, "scope === needed.split(':')[0]", 'needed.includes(scope)'],
  ['endpoints/2', exchange, 'endpoint.envelope ? {', "endpoint.envelope && endpoint.method === 'POST' ? {"],
  ['errors/2', exchange, "        'retry-after': String(wait),\n", ''],
  ['limits/standard-rate-limit-300-requests-per-minute', limits, 'count: 300,', 'count: 301,'],
  [
    'limits/write-rate-limit-60-requests-per-minute',
    limits,
    "'instance/write': {\n    subject: 'user',\n    count: 60,",
    "'instance/write': {\n    subject: 'user',\n    count: 61,",
  ],
];
