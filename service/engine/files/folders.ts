import { isoTime } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import type { Records } from '../../core/records/database.ts';

/** `tree`: what the user has made; `temporary`: for uploads that are not launched yet; `session`: what an agent has adopted. */
export type FolderKind = 'tree' | 'temporary' | 'session';

export type FolderRow = {
  id: string;
  organization_id: string;
  user_id: string;
  /** Null: in the root of its user. */
  parent_id: string | null;
  name: string;
  kind: FolderKind;
  created_at: string;
};

/** Whose folders and files. */
export type Owner = { userId: string; organizationId: string };

export const createFolders = (records: Records) => {
  const find = ({ userId, organizationId }: Owner, id: string): FolderRow | undefined =>
    records.get<FolderRow>('SELECT * FROM folders WHERE id = ? AND user_id = ? AND organization_id = ?', id, userId, organizationId);

  /** The folder of this name, made where it is not there yet; call inside a transaction. */
  const ensure = (owner: Owner, kind: FolderKind, parentId: string | null, name: string): { id: string; made: boolean } => {
    const known = records.get<{ id: string }>(
      'SELECT id FROM folders WHERE user_id = ? AND organization_id = ? AND kind = ? AND parent_id IS ? AND name = ?',
      owner.userId,
      owner.organizationId,
      kind,
      parentId,
      name,
    );
    if (known) return { id: known.id, made: false };
    const id = newId();
    records.run(
      'INSERT INTO folders (id, organization_id, user_id, parent_id, name, kind, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      id,
      owner.organizationId,
      owner.userId,
      parentId,
      name,
      kind,
      isoTime(),
    );
    return { id, made: true };
  };

  return {
    find,
    ensure,
    /** The temporary folder of a user, the same one at every call; call inside a transaction. */
    temporary: (owner: Owner) => ensure(owner, 'temporary', null, 'temporary'),
    /** Names from the root down to a folder. */
    names(id: string | null): string[] {
      const names: string[] = [];
      for (let at = id; at !== null;) {
        const folder = records.get<FolderRow>('SELECT * FROM folders WHERE id = ?', at);
        if (!folder) break;
        names.unshift(folder.name);
        at = folder.parent_id;
      }
      return names;
    },
    /** Is it the temporary folder, or in it? */
    isTemporary(id: string | null): boolean {
      for (let at = id; at !== null;) {
        const folder = records.get<FolderRow>('SELECT * FROM folders WHERE id = ?', at);
        if (folder?.kind === 'temporary') return true;
        at = folder?.parent_id ?? null;
      }
      return false;
    },
  };
};

export type Folders = ReturnType<typeof createFolders>;
