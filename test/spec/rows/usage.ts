import { expect } from 'vitest';
import { nowhere, organizationOf } from './made.ts';
import type { Rows, Shown } from './row.ts';

/** An organization that has used some tokens, and how many. */
async function spender(at: Shown) {
  const organization_id = await organizationOf(at);
  const { key } = await at.invoke('maps.keys.create', { organization_id, key_name: 'spends' });
  const { usage } = await at.withKey(key)('maps.embedding.text', { texts: ['a ship in the harbour', 'a storm'] });
  return { organization_id_or_slug: organization_id, tokens: usage.total_tokens };
}

export const usage = {
  'maps.usage.period': {
    readBack: 'maps.usage.recent',
    async run(at) {
      const { tokens, ...named } = await spender(at);
      const { text_tokens, seats } = await at.invoke('maps.usage.period', named);
      expect(tokens).toBeGreaterThan(0);
      const recent = await at.invoke('maps.usage.recent', named);
      expect([text_tokens.used, seats.used]).toEqual([tokens, 1]);
      expect([recent.embedding_models.map((each) => each.tokens), recent.organization_seats]).toEqual([[tokens], 1]);
      expect(await at.refused(at.invoke('maps.usage.period', { ...named, billing_period: '2026-01-15' }))).toBe(422);
    },
  },
  'maps.usage.recent': {
    readBack: 'maps.projects.get',
    async run(at) {
      const organization_id = await organizationOf(at);
      const { project_id } = await at.invoke('maps.projects.create', { organization_id, project_name: 'ships', unique_id_field: 'id' });
      await at.invoke('maps.data.addArrow', { body: at.shardOf(project_id, 7) });
      const recent = await at.invoke('maps.usage.recent', { organization_id_or_slug: organization_id });
      const { total_datums_in_project, is_public } = await at.invoke('maps.projects.get', { project_id });
      expect([total_datums_in_project, is_public]).toEqual([7, false]);
      expect(recent).toMatchObject({ private_datapoints: 7, public_datapoints: 0, embedding_models: [] });
      const stranger = at.withKey((await at.user()).token);
      expect(await at.refused(stranger('maps.usage.recent', { organization_id_or_slug: organization_id }))).toBe(403);
    },
  },
  'maps.usage.withinLimit': {
    readBack: 'maps.usage.period',
    async run(at) {
      const { tokens, ...named } = await spender(at);
      const limit = await at.invoke('maps.usage.withinLimit', { ...named, usage_type: 'text_tokens' });
      const { text_tokens } = await at.invoke('maps.usage.period', named);
      expect([limit.total_with_update, text_tokens.used]).toEqual([tokens, tokens]);
      expect(limit.within_limit).toBe(limit.limit! >= tokens);
      const unknown = { organization_id_or_slug: nowhere, usage_type: 'text_tokens' } as const;
      expect(await at.refused(at.invoke('maps.usage.withinLimit', unknown))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
