/** What differs between git hosts. Paths and fields are those of their documents, named in each file. */
import type { GitApi, GitApiAccess } from '../../ports/git-api.ts';
import type { Call } from './call.ts';

export interface Row {
  /** Headers of every request besides the credential. */
  headers: Readonly<Record<string, string>>;
  api(call: Call, access: GitApiAccess): Omit<GitApi, 'token'>;
}

/** `acme/shop` as a part of a path, each name by itself. */
export const pathOf = (repository: string): string => repository.split('/').map(encodeURIComponent).join('/');
