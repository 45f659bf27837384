import type { Answer } from '../live/api.ts';

export type Member = Answer<'organization.members'>[number];
