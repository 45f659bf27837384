/** Who looks: role and grants, and with them what a page may offer. The server decides; this only hides. */
import { useAsk, type Answer } from './api.ts';

export type Viewer = Answer<'user.get'>;
export type Grant = keyof Viewer['grants'];

export interface Rights {
  viewer: Viewer | undefined;
  /** Owner or Admin. */
  leads: boolean;
  may(grant: Grant): boolean;
}

export function useRights(): Rights {
  const { data: viewer } = useAsk('user.get', {});
  const leads = viewer?.role === 'owner' || viewer?.role === 'admin';
  return {
    viewer,
    leads,
    may: (grant) => leads || viewer?.grants[grant] === true,
  };
}
