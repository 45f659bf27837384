/** Forgejo, whose API keeps to Gitea's (forgejo.org/docs/latest/user/api-usage). */
import { gitea } from './gitea.ts';
import type { Row } from './row.ts';

export const forgejo: Row = { ...gitea, headers: { accept: 'application/json' } };
