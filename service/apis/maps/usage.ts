import { dayOf } from '../../../contracts/instance/periods.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import { invalidParameter, notAuthorized, notFound } from '../../core/errors.ts';
import { findOrganization, type OrganizationRow } from '../../core/records/organizations.ts';
import { usageOf, type ModelUsage } from '../../core/records/usage.ts';
import { isTextModel } from '../../../contracts/maps/models.ts';
import type { CallContext, Handlers } from '../../http/handlers.ts';
import { most, planType } from './organization-view.ts';
import { roleIn } from './roles.ts';
import type { MapsState } from './state.ts';

/** Billing periods are the months, UTC (assumption): the first instant of the month that lies `months` from that of a time. */
const monthOf = (at: number, months = 0): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
};

/** The day of a time in the month before, UTC; the last one of that month where it is shorter. */
const monthBefore = (at: number): number => {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Date.UTC(year, month - 1, Math.min(date.getUTCDate(), lastDay));
};

const dayMs = 86_400_000;

const tokensOf = (models: readonly ModelUsage[]): number =>
  models.filter(({ model }) => isTextModel(model)).reduce((sum, { tokens }) => sum + tokens, 0);

const imagesOf = (models: readonly ModelUsage[]): number =>
  models.filter(({ model }) => !isTextModel(model)).reduce((sum, { embeddings }) => sum + embeddings, 0);

/** What was really used: embeddings are counted when they are made, seats, rows and bytes are those of now. Members alone see it. */
export const createUsage = ({ records, datasets, clock }: MapsState): Handlers<typeof maps>['usage'] => {
  const organizationOf = (named: string, { userId, keyRole }: CallContext): OrganizationRow => {
    const found = findOrganization(records, named);
    if (!found) throw notFound('organization', named);
    if (roleIn(records, userId, found.id, keyRole) === undefined) throw notAuthorized();
    return found;
  };
  const seatsOf = (organizationId: string): number =>
    records.get<{ seats: number }>('SELECT count(*) AS seats FROM memberships WHERE organization_id = ?', organizationId)!.seats;
  const projectsOf = (organizationId: string): { id: string; is_public: number }[] =>
    records.all('SELECT id, is_public FROM projects WHERE owner = ? AND removed_at IS NULL', organizationId);
  const rowsOf = async (projectId: string): Promise<number> =>
    datasets.has(projectId) ? (await datasets.use(projectId, (dataset) => dataset.facts())).rows : 0;

  return {
    period({ organization_id_or_slug, billing_period }, context) {
      const { id } = organizationOf(organization_id_or_slug, context);
      const now = clock.now();
      const from = billing_period ? Date.parse(billing_period) : monthOf(now);
      if (from !== monthOf(from) || from > now)
        throw invalidParameter('billing_period', 'is the first day of a month that has begun, such as 2026-11-01');
      const models = usageOf(records, id, { from, to: monthOf(from, 1) });
      const current = from === monthOf(now);
      return {
        plan_type: planType,
        billing_period: dayOf(from),
        text_tokens: { used: tokensOf(models) },
        image_embeddings: { used: imagesOf(models) },
        // Of earlier periods nobody has kept them.
        seats: { used: current ? seatsOf(id) : 0 },
        storage: { used: current ? projectsOf(id).reduce((sum, project) => sum + datasets.bytes(project.id), 0) : 0 },
      };
    },
    async recent({ organization_id_or_slug, offset_number, limit }, context) {
      const { id } = organizationOf(organization_id_or_slug, context);
      // `since_last_billing_date` is of paid tiers, and none is here: always the past month.
      const now = clock.now();
      const from = monthBefore(now);
      const rows = { public_datapoints: 0, private_datapoints: 0 };
      for (const project of projectsOf(id))
        rows[project.is_public ? 'public_datapoints' : 'private_datapoints'] += await rowsOf(project.id);
      return {
        usage_since_date: dayOf(from),
        ...rows,
        organization_seats: seatsOf(id),
        advanced_analysis_usage: 0,
        // The only list of a usage read, and so what its pages are of (assumption).
        embedding_models: usageOf(records, id, { from, to: now + dayMs })
          .slice(offset_number, limit === null || limit === undefined ? undefined : offset_number + limit)
          .map(({ model, tokens, embeddings }) => ({ model, tokens, num_embeddings: embeddings })),
      };
    },
    withinLimit({ organization_id_or_slug, usage_type }, context) {
      const { id, slug } = organizationOf(organization_id_or_slug, context);
      const from = monthOf(clock.now());
      const models = usageOf(records, id, { from, to: monthOf(from, 1) });
      const total = { advanced_analysis: 0, text_tokens: tokensOf(models), image_embeddings: imagesOf(models) }[usage_type];
      return {
        organization_to_charge_id: id,
        organization_to_charge_slug: slug,
        usage_type,
        within_limit: total <= most,
        total_with_update: total,
        limit: most,
        plan_type: planType,
      };
    },
  };
};
