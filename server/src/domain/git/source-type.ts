import { gitProviderNames } from './git-host.ts';

/** Where the source of a service comes from: a git host by name, any git repository, an image, an upload. */
export const sourceTypes = [...gitProviderNames, 'git', 'container', 'drop'] as const;
export type SourceType = (typeof sourceTypes)[number];

/** Of a compose service; `raw`: the file stands in the record. */
export const composeSourceTypes = ['raw', 'git', ...gitProviderNames] as const;
export type ComposeSourceType = (typeof composeSourceTypes)[number];

/** What of a repository begins a deployment by itself. */
export const triggerTypes = ['push', 'tag'] as const;
export type TriggerType = (typeof triggerTypes)[number];
